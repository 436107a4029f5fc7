import type { FileSystem } from '../vfs/file-system.ts';
import type { KernelReadahead } from './kernel-readahead.ts';
import type { MountOptions } from './mount.ts';
import type { NativeTransport } from './native-transport.ts';
import { Session } from './session.ts';

export interface StartedSession {
  /** The kernel and the session have agreed on the protocol. Rejects when they do not. */
  readonly ready: Promise<void>;
  /** The kernel's end is gone. */
  readonly closed: Promise<void>;
  /** Lets go of the mount at once; synchronous. Also done when the process ends in a way that Node notices. */
  detachNow(): void;
}

interface SessionParts {
  readonly transport: NativeTransport;
  readonly readahead?: KernelReadahead | undefined;
  readonly wantsToStop?: (threadId: number) => boolean;
}

/** Begins to answer the requests of a mount, on this thread's event loop. */
export function startSession(
  fs: FileSystem,
  { errnoOf, observer, passthrough }: MountOptions,
  parts: SessionParts,
): StartedSession {
  const { transport, readahead } = parts;
  const session = new Session({ ...parts, fs, errnoOf, observer, passthrough });
  session.start();
  const detachNow = (): void => {
    transport.detach();
    session.ended(0);
  };
  process.once('exit', detachNow);
  const closed = session.closed.finally(() => {
    process.off('exit', detachNow);
    readahead?.close();
  });
  return { ready: session.ready, closed, detachNow };
}
