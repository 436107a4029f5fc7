import type { Awaitable, FileSystem, OpenReply } from '../../vfs/file-system.ts';
import type { BodyReader } from '../protocol/body-reader.ts';
import type { Reply } from '../reply.ts';
import type { Request } from '../request.ts';

/**
 * How one opcode becomes a call of the file system and its answer a reply. All that operations have in common (errors,
 * interrupts, late answers, slots, observation) is the session's.
 */
export interface Operation<Answer = unknown> {
  /**
   * Decodes the body and asks the file system. Bytes of the body must be copied out before this returns, except by an
   * operation that keeps its slot.
   */
  call(fs: FileSystem, body: BodyReader, request: Request): Awaitable<Answer>;
  /** Writes the reply's body; may still throw for an answer that does not fit the request. Absent: the reply is empty. */
  readonly encode?: ((reply: Reply, answer: Answer) => void) | undefined;
  /** The kernel never learned of this answer: gives back the references and handles in it. */
  readonly undo?: ((fs: FileSystem, answer: Answer) => Awaitable<void>) | undefined;
  /** The reply is written, or never will be. */
  readonly finish?: ((answer: Answer) => void) | undefined;
  /** The reply to an open within the answer, if it opens a file. */
  readonly opened?: ((answer: Answer) => OpenReply) | undefined;
  /** The body stays in its slot until the answer is there. */
  readonly keepsSlot?: true | undefined;
  /**
   * The locks that the kernel holds until it has the reply: of names in the request's directories, or of pages of its
   * nodes. Notifications about these wait meanwhile.
   */
  readonly locks?: 'names' | 'pages' | undefined;
  /** Reads through a handle: what is gone is stale, and never the end of what is read. */
  readonly readsHandle?: true | undefined;
}

/**
 * Types an operation's answer, then forgets the type: the session passes answers on without looking. All have all fields,
 * in one order, since the engine finds fields of objects of one shape fastest.
 */
export function operation<Answer>(definition: Operation<Answer>): Operation {
  const { call, encode, undo, finish, opened, keepsSlot, locks, readsHandle } = definition;
  return { call, encode, undo, finish, opened, keepsSlot, locks, readsHandle } as Operation;
}
