import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { errorCode } from '../lib/error-code.ts';
import type { ProcessIdentity } from '../lib/process-identity.ts';

/** Who serves a mount point; there while the mount is, and after its process was killed. */
export interface MountRecord {
  readonly mountPoint: string;
  readonly endpoint: string;
  readonly daemon: ProcessIdentity;
}

/** What a demo started. It stays when the demo has ended, for the next one at the same mount point. */
export interface DemoRecord {
  /** Undefined when it has ended. */
  readonly service: ProcessIdentity | undefined;
  /** Taken again by the next run: what the mount keeps of an account belongs to its endpoint. */
  readonly port: number;
  readonly data: string;
  readonly madeMountPoint: boolean;
}

/** Whole or not at all: a reader never sees half of it. */
export async function writeRecord(path: string, record: MountRecord | DemoRecord): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(draft, path);
}

/** Undefined when there is none, or none that can be read: a record only helps. */
export async function readRecord<T extends MountRecord | DemoRecord>(path: string): Promise<T | undefined> {
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
