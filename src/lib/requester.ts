import { AsyncLocalStorage } from 'node:async_hooks';

/** The program for which something is done, and the system call by which it asked. */
export interface Requester {
  /** Thread id; 0 when the kernel asks for itself. */
  readonly thread: number;
  /** Of the system call. */
  readonly operation: string;
  /** Of the file that it is about. */
  readonly path: () => string;
  /** It was interrupted, and waits no more. */
  readonly hasLeft: () => boolean;
  /** The request of the kernel, which is the same object for all that follows of it. */
  readonly context?: object;
  /** Counts the requests that are made for the system call; undefined: nobody wants to know. */
  readonly cost?: { requests: number } | undefined;
}

const current = new AsyncLocalStorage<Requester>();

/** Does work, and all that follows of it, for a program. */
export function forRequester<T>(requester: Requester, work: () => T): T {
  return current.run(requester, work);
}

/** Undefined: no program asked for what is done now. */
export function currentRequester(): Requester | undefined {
  return current.getStore();
}
