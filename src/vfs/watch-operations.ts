/** Operations of programs as those see them who watch the mount live. */
import { byteLength } from '../lib/byte-chunks.ts';
import { type Paths, pathsOf } from './errors/subjects.ts';
import type { AbsentEntry, Entry, FileSystem, ReadReply, RequestContext } from './file-system.ts';
import { openModeOf } from './open-flags.ts';

/** A program's request and its result, as far as they are known by now. */
export interface WatchedOperation {
  readonly operation: keyof FileSystem;
  /** The names that it is about, from the top of the tree. */
  readonly paths: () => readonly string[];
  /** Of the arguments: `SIZE@OFFSET`, the name of an attribute, how a file is opened. */
  readonly detail: string | undefined;
  readonly cost: { requests: number };
  /** Bytes, or the errno that the kernel makes of the answer. */
  result: number | 'ENOENT' | undefined;
}

/** The place where watchers and the file system meet. */
export interface OperationWatch {
  /** Told of each operation as it begins. Undefined: nobody watches, and nothing is noted. */
  watcher: ((begun: WatchedOperation, context: RequestContext) => void) | undefined;
}

type Arguments = readonly unknown[];

/** The note of an operation that begins now. */
export function watched(operation: keyof FileSystem, args: Arguments, paths: Paths): WatchedOperation {
  return {
    operation,
    paths: () => pathsOf(operation, args, paths),
    detail: detailOf(operation, args),
    cost: { requests: 0 },
    result: undefined,
  };
}

/** Notes what the file system answered, and gives it on. */
export function noting<Answer>(begun: WatchedOperation, answer: Answer): Answer {
  if (!(answer instanceof Promise)) {
    begun.result = resultOf(begun.operation, answer);
    return answer;
  }
  const noted = answer.then((given: unknown) => {
    begun.result = resultOf(begun.operation, given);
    return given;
  });
  return noted as Answer;
}

function detailOf(operation: keyof FileSystem, args: Arguments): string | undefined {
  switch (operation) {
    case 'read':
      return `${args[2]}@${args[1]}`;
    case 'write':
      return `${(args[2] as Uint8Array).length}@${args[1]}`;
    case 'copyFileRange':
      return String(args[2]);
    case 'getxattr':
    case 'setxattr':
    case 'removexattr':
      return String(args[1]);
    case 'setattr':
      return Object.keys(args[1] as object).join(',');
    case 'open':
      return accessOf(Number(args[1]));
    default:
      return undefined;
  }
}

function accessOf(flags: number): string {
  const { read, write, truncate } = openModeOf(flags);
  const words = [...(read ? ['read'] : []), ...(write ? ['write'] : []), ...(truncate ? ['truncate'] : [])];
  return words.join(',');
}

function resultOf(operation: keyof FileSystem, answer: unknown): WatchedOperation['result'] {
  switch (operation) {
    case 'lookup':
      return (answer as Entry | AbsentEntry).node === undefined ? 'ENOENT' : undefined;
    case 'read':
      return byteLength(answer as ReadReply);
    case 'write':
    case 'copyFileRange':
      return answer as number;
    case 'getxattr':
      return (answer as Uint8Array).length;
    default:
      return undefined;
  }
}
