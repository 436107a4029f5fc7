import { constants } from 'node:os';
import { type Clock, systemClock } from '../lib/clock.ts';
import { FsError } from '../vfs/errors/fs-error.ts';
import type { FileSystem, NodeId } from '../vfs/file-system.ts';
import { type Hold, Invalidations } from './invalidations.ts';
import type { KernelReadahead } from './kernel-readahead.ts';
import type { Observer } from './observer.ts';
import type { Operation } from './operations/operation.ts';
import { operationOf } from './operations/table.ts';
import { BodyReader } from './protocol/body-reader.ts';
import { negotiate, readKernelOffer, writeAgreement } from './protocol/init.ts';
import { OPCODE, opcodeName } from './protocol/opcodes.ts';
import { Reply } from './reply.ts';
import { replyErrno, staleForGone } from './reply-errno.ts';
import { Request } from './request.ts';
import type { Receiver, Transport } from './transport.ts';
import { wantsToStop } from './wants-to-stop.ts';

const { ENOENT, ENODEV, ENOSYS, EPROTO } = constants.errno;
/** How long an interrupted request may still take to answer by itself. */
const INTERRUPT_GRACE_MS = 50;
/** How often the signals of an interrupted program are looked at. */
const SIGNAL_POLL_MS = 25;
/** WRITEs may keep three quarters of the slots; the rest is for what must never wait: INTERRUPT, FORGET, READ, … */
const SLOTS_KEPT = 3 / 4;

export interface SessionOptions {
  readonly transport: Transport;
  readonly fs: FileSystem;
  /** The positive errno for anything that a handler threw. */
  readonly errnoOf: (error: unknown) => number;
  readonly observer?: Observer | undefined;
  /** Agree that the kernel may read files of this machine in place of ours, where the transport can tell it which. */
  readonly passthrough?: boolean | undefined;
  /** Where it can be set. */
  readonly readahead?: Pick<KernelReadahead, 'set'> | undefined;
  readonly clock?: Clock;
  /** Whether the signal that interrupted this thread means to stop it. */
  readonly wantsToStop?: (threadId: number) => boolean;
}

/** A request the file system has not answered yet. */
interface Pending {
  readonly request: Request;
  readonly operation: Operation;
  readonly heldNodes: readonly NodeId[];
  readonly hold: Hold;
}

/**
 * One mount's conversation with the kernel. Every request is decoded, put to the file system and answered exactly once:
 *
 * - at once, without a promise, when the file system answers so;
 * - with EIO (or what `errnoOf` says) when the handler throws or rejects, whatever it throws;
 * - with EINTR when its program is asked to stop and the handler does not settle soon. The late answer is then undone:
 *   its lookup counts and handles are given back, and names it changed are invalidated, for the kernel believes that
 *   nothing happened.
 *
 * The loop never waits: a request's slot is free again when its handler was called, except for WRITE, whose data stays
 * in place until the handler settles; when too many slots are kept, further data is copied.
 */
export class Session implements Receiver {
  /** INIT was answered: the mount works. Rejects when kernel and session do not understand each other. */
  readonly ready: Promise<void>;
  /** The kernel's end is gone. */
  readonly closed: Promise<void>;

  readonly #transport: Transport;
  readonly #fs: FileSystem;
  readonly #errnoOf: (error: unknown) => number;
  readonly #observer: Observer | undefined;
  readonly #passthrough: boolean;
  readonly #readahead: Pick<KernelReadahead, 'set'> | undefined;
  readonly #clock: Clock;
  readonly #wantsToStop: (threadId: number) => boolean;
  readonly #body: BodyReader;
  readonly #reply: Reply;
  readonly #invalidations: Invalidations;
  readonly #pending = new Map<bigint, Pending>();
  readonly #slotsToKeep: number;
  #slotsKept = 0;
  #resolveReady: () => void = () => {};
  #rejectReady: (error: Error) => void = () => {};
  #resolveClosed: () => void = () => {};
  #ended = false;

  constructor(options: SessionOptions) {
    this.#transport = options.transport;
    this.#fs = options.fs;
    this.#errnoOf = options.errnoOf;
    this.#observer = options.observer;
    this.#passthrough = options.passthrough ?? false;
    this.#readahead = options.readahead;
    this.#clock = options.clock ?? systemClock;
    this.#wantsToStop = options.wantsToStop ?? wantsToStop;
    this.#body = new BodyReader(options.transport.memory);
    this.#reply = new Reply(options.transport.replyPage);
    this.#invalidations = new Invalidations((messages) => this.#transport.notify(messages));
    this.#slotsToKeep = Math.floor(options.transport.slots * SLOTS_KEPT);
    this.ready = new Promise((resolve, reject) => {
      this.#resolveReady = resolve;
      this.#rejectReady = reject;
    });
    this.ready.catch(() => {}); // told to whoever awaits it
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  start(): void {
    this.#fs.attach(this.#invalidations, this.#passthrough ? this.#transport.backings : undefined);
    this.#transport.start(this);
  }

  receive(slot: number, offset: number, length: number): void {
    this.#body.seek(offset, length);
    const startedMs = this.#observer === undefined ? 0 : performance.now();
    const request = new Request(this.#body, startedMs, this.#transport.splices);
    const operation = operationOf(request.opcode);
    if (operation === undefined) {
      this.#control(request);
      this.#transport.releaseSlot(slot);
    } else if (operation.keepsSlot) {
      this.#runInSlot(operation, request, slot);
    } else {
      void this.#run(operation, request, this.#body);
      this.#transport.releaseSlot(slot);
    }
  }

  notified(): void {
    this.#invalidations.written();
  }

  ended(errno: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#rejectReady(new Error(`the mount ended before it was ready (errno ${errno})`));
    for (const { request } of this.#pending.values()) {
      request.answered = true;
      request.interrupt();
    }
    this.#pending.clear();
    this.#invalidations.close();
    this.#transport.close();
    try {
      this.#fs.detach();
    } finally {
      this.#resolveClosed();
    }
  }

  #runInSlot(operation: Operation, request: Request, slot: number): void {
    if (this.#slotsKept >= this.#slotsToKeep) {
      void this.#run(operation, request, this.#body.copy());
      this.#transport.releaseSlot(slot);
      return;
    }
    const settled = this.#run(operation, request, this.#body);
    if (settled === undefined) {
      this.#transport.releaseSlot(slot);
      return;
    }
    this.#slotsKept++;
    void settled.then(() => {
      this.#slotsKept--;
      this.#transport.releaseSlot(slot);
    });
  }

  /** Answers now, or gives a promise (that never rejects) of when the handler has settled. */
  #run(operation: Operation, request: Request, body: BodyReader): Promise<void> | undefined {
    let answer: unknown;
    try {
      answer = operation.call(this.#fs, body, request);
    } catch (error) {
      this.#fail(request, error);
      return undefined;
    }
    if (!(answer instanceof Promise)) {
      this.#answer(operation, request, answer);
      return undefined;
    }
    this.#wait(operation, request);
    return answer.then(
      (value: unknown) => this.#settle(operation, request, value),
      (error: unknown) => {
        if (!request.answered) this.#fail(request, error);
        this.#stopWaiting(request);
      },
    );
  }

  #wait(operation: Operation, request: Request): void {
    const heldNodes: NodeId[] = [];
    if (operation.locks !== undefined) {
      heldNodes.push(request.node, ...request.otherNodes);
    }
    const hold = this.#invalidations.hold(heldNodes);
    this.#pending.set(request.unique, { request, operation, heldNodes, hold });
  }

  #stopWaiting(request: Request): void {
    const pending = this.#pending.get(request.unique);
    if (pending?.request !== request) return;
    this.#pending.delete(request.unique);
    this.#invalidations.release(pending.heldNodes, pending.hold);
  }

  #settle(operation: Operation, request: Request, answer: unknown): void {
    if (!request.answered) {
      this.#answer(operation, request, answer);
      this.#stopWaiting(request);
      return;
    }
    this.#undo(operation, answer);
    for (const { parent, name } of request.changes) this.#invalidations.invalidateEntry(parent, name);
    if (operation.locks === 'pages') {
      for (const node of [request.node, ...request.otherNodes]) this.#invalidations.invalidateNode(node);
    }
    this.#finish(operation, answer);
  }

  #answer(operation: Operation, request: Request, answer: unknown): void {
    this.#reply.reset();
    try {
      operation.encode?.(this.#reply, answer);
    } catch (error) {
      this.#undo(operation, answer);
      this.#finish(operation, answer);
      this.#fail(request, error);
      return;
    }
    const opened = operation.opened?.(answer);
    if (opened !== undefined) this.#readahead?.set(opened.readaheadBytes);
    const failure = this.#send(request, 0);
    this.#finish(operation, answer);
    if (failure !== 0) {
      this.#undo(operation, answer);
      if (failure !== ENOENT && failure !== ENODEV) this.#fail(request, new Error('reply refused'));
    }
  }

  #fail(request: Request, error: unknown): void {
    this.#reply.reset();
    const errno = replyErrno(error, { interrupted: request.interrupted, errnoOf: this.#errnoOf });
    const readsHandle = operationOf(request.opcode)?.readsHandle === true;
    this.#send(request, readsHandle ? staleForGone(errno) : errno, error);
  }

  /** Writes what is in the reply. Answers 0 or the errno of a kernel that does not take it. */
  #send(request: Request, errno: number, error?: unknown): number {
    request.answered = true;
    const length = this.#reply.seal(-errno, request);
    const failure = this.#transport.send(length, this.#reply.bytes);
    if (this.#observer === undefined) return failure;
    const replies = 1 + (this.#transport.answeredBeside ?? 0);
    const record = {
      operation: opcodeName(request.opcode),
      errno: errno === 0 ? failure : errno,
      durationMs: (performance.now() - request.startedMs) / replies,
      nodeId: request.node,
      pid: request.pid,
      context: request,
      error,
    };
    for (let told = 0; told < replies; told++) this.#observer.onReply(record);
    return failure;
  }

  #undo(operation: Operation, answer: unknown): void {
    settleQuietly(() => operation.undo?.(this.#fs, answer));
  }

  #finish(operation: Operation, answer: unknown): void {
    settleQuietly(() => operation.finish?.(answer));
  }

  /** The requests that concern the session itself. */
  #control(request: Request): void {
    try {
      this.#controlCall(request);
    } catch (error) {
      this.#fail(request, error);
    }
  }

  #controlCall(request: Request): void {
    switch (request.opcode) {
      case OPCODE.FORGET:
        this.#fs.forget(request.node, this.#body.id());
        return;
      case OPCODE.BATCH_FORGET:
        this.#forgetBatch();
        return;
      case OPCODE.INTERRUPT:
        void this.#interrupt(this.#body.big());
        return;
      case OPCODE.INIT:
        this.#init(request);
        return;
      case OPCODE.DESTROY:
        this.#reply.reset();
        this.#send(request, 0);
        return;
      case OPCODE.NOTIFY_REPLY:
        return;
      default:
        this.#reply.reset();
        this.#send(request, ENOSYS);
    }
  }

  #forgetBatch(): void {
    const count = this.#body.u32();
    this.#body.skip(4); // dummy
    for (let i = 0; i < count; i++) this.#fs.forget(this.#body.id() as NodeId, this.#body.id());
  }

  #init(request: Request): void {
    const agreement = negotiate(readKernelOffer(this.#body), { passthrough: this.#passthrough });
    this.#reply.reset();
    if (agreement === undefined) {
      this.#send(request, EPROTO);
      this.#rejectReady(new Error('this kernel speaks a FUSE protocol older than 7.31 (Linux 5.4)'));
      return;
    }
    writeAgreement(this.#reply, agreement);
    this.#invalidations.agree(agreement.minor);
    this.#send(request, 0);
    this.#resolveReady();
  }

  /** Tells the handler, and answers in its place when it goes on. The work is not stopped. */
  async #interrupt(unique: bigint): Promise<void> {
    const request = this.#pending.get(unique)?.request;
    if (request === undefined) return;
    // The kernel tells of the first signal only; one that means to stop may follow.
    while (!request.answered && !this.#wantsToStop(request.pid)) await this.#clock.sleep(SIGNAL_POLL_MS);
    if (request.answered) return;
    request.interrupt();
    await this.#clock.sleep(INTERRUPT_GRACE_MS);
    if (request.answered) return;
    this.#fail(request, new FsError('EINTR', 'interrupted; the work that was begun goes on'));
    this.#stopWaiting(request);
  }
}

/** Runs a clean-up whose failure nobody could be told of. */
function settleQuietly(cleanUp: () => unknown): void {
  try {
    const result = cleanUp();
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // See above.
  }
}
