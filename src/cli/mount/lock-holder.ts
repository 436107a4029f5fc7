import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { bootId } from '../../lib/boot-id.ts';
import { identify, isRunning, lingers, type ProcessIdentity } from '../../lib/process-identity.ts';
import { type LockRecord, readRecord, removeRecord, writeRecord } from '../record.ts';

function pathOf(root: string): string {
  return join(root, 'lock-holder');
}

/** Tells others that this process has the lock. `root` is the state directory of the mount point. */
export async function writeHolder(root: string, { mounts }: Pick<LockRecord, 'mounts'>): Promise<void> {
  const daemon = await identify(process.pid);
  if (daemon === undefined) return;
  await writeRecord<LockRecord>(pathOf(root), { daemon, mounts, place: await placeOf() });
}

export function removeHolder(root: string): Promise<void> {
  return removeRecord(pathOf(root));
}

/** Whether a process of this place has the lock and runs, and mounts: `svcfs recover` does not. */
export async function isHeldToMount(root: string): Promise<boolean> {
  const holder = await holderHere(root);
  return holder !== undefined && holder.mounts !== false && (await isRunning(holder.daemon));
}

/** The process that has the lock although it has ended: the kernel keeps a thread of it, and so all that it had open. */
export async function lingeringHolder(root: string): Promise<ProcessIdentity | undefined> {
  const holder = await holderHere(root);
  return holder !== undefined && (await lingers(holder.daemon)) ? holder.daemon : undefined;
}

async function holderHere(root: string): Promise<LockRecord | undefined> {
  const holder = await readRecord<LockRecord>(pathOf(root));
  return holder?.place !== undefined && holder.place === (await placeOf()) ? holder : undefined;
}

async function placeOf(): Promise<string | undefined> {
  const boot = await bootId();
  const namespace = await readlink('/proc/self/ns/pid').catch(() => undefined);
  return boot === undefined || namespace === undefined ? undefined : `${boot} ${namespace}`;
}
