import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { errorCode } from '../lib/error-code.ts';
import type { ProcessIdentity } from '../lib/process-identity.ts';

/** The process that serves a mount point; the record is there while the mount is, and after its process was killed. */
export interface MountRecord {
  readonly mountPoint: string;
  readonly endpoint: string;
  /** Name of its `AccountDirectory`; undefined in records of before there was this. */
  readonly account?: string | undefined;
  readonly daemon: ProcessIdentity;
  /** Of the svcfs that serves it; undefined in records of before there was this. */
  readonly version?: string | undefined;
  /** Of the st_dev of the mount; undefined in records of before there was this. */
  readonly deviceMinor?: number | undefined;
  /** The directory of the platform at which it begins (`projects/lab/rna`); undefined: the top. */
  readonly root?: string | undefined;
  /** Another process has mounted it, and this user may not see it; undefined in records of before there was this. */
  readonly passed?: boolean | undefined;
}

/** Where an account wrote what its directory keeps; there from its first mount on. */
export interface AccountRecord {
  readonly mountPoint: string;
  readonly endpoint: string;
  readonly username: string;
}

/**
 * The processes that a demo started. The record stays when the demo has ended, for the next one at the same mount
 * point.
 */
export interface DemoRecord {
  /** Undefined when it has ended. */
  readonly service: ProcessIdentity | undefined;
  /** Taken again by the next run: what the mount keeps of an account belongs to its endpoint. Undefined before the first. */
  readonly port?: number | undefined;
  readonly data: string;
  /** The data was made for it, and its content was not whole when this was written. */
  readonly unfinished?: boolean;
  readonly madeMountPoint: boolean;
}

/** Which process has the lock of a mount point's state. Only a process of the same place can tell whether it runs. */
export interface LockRecord {
  readonly daemon: ProcessIdentity;
  /** It mounts, or has mounted; undefined, as in records of before: it does. */
  readonly mounts?: boolean | undefined;
  /** The run of the machine and its PID namespace; undefined where the system tells none. */
  readonly place: string | undefined;
}

type AnyRecord = MountRecord | AccountRecord | DemoRecord | LockRecord;

/** Whole or not at all, also after a power failure: a reader never sees half of it. */
export async function writeRecord<T extends AnyRecord>(path: string, record: T): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600, flush: true });
  await rename(draft, path);
}

/** Undefined when there is none, or none that can be read: a record only helps. */
export async function readRecord<T extends AnyRecord>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function removeRecord(path: string): Promise<void> {
  return rm(path, { force: true });
}
