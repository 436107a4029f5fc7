/**
 * The files that the mounts of this user keep on this machine and the service does not have, over all in a state
 * directory.
 */
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type AccountDirectory,
  accountDirectoryAt,
  type MountDirectory,
  mountDirectoryAt,
} from '../../config/directories.ts';
import { filesAside, filesOwed, type KeptFile } from '../../content/write/kept/kept-files.ts';
import { editsLeft } from '../../edits/left-edits.ts';
import { errorCode } from '../../lib/error-code.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import { printable } from '../../lib/printable.ts';
import { isRunning } from '../../lib/process-identity.ts';
import { type AccountRecord, type MountRecord, readRecord } from '../record.ts';

/** Of one account at one mount point. */
export interface KeptPlace {
  readonly directory: MountDirectory;
  readonly account: AccountDirectory;
  /** Undefined: an older version wrote there. */
  readonly written: AccountRecord | undefined;
  /** A mount has it now. */
  readonly served: boolean;
  /** Where the mount that has it begins, or that was killed. */
  readonly root?: string | undefined;
}

export interface KeptEntry {
  readonly place: KeptPlace;
  readonly file: KeptFile;
}

export interface FoundKept {
  readonly entries: readonly KeptEntry[];
  /** Why some could not be looked at, a line each. */
  readonly unreadable: readonly string[];
}

/** For one journal; its mount is not to be waited for long. */
const LOOK_TIMEOUT_MS = 5000;

const DAMAGED =
  'the journal is damaged: the next mount goes on with what it tells of before that, and puts aside what else lies there';

/** Oldest first. */
export async function keptInState(state: string): Promise<FoundKept> {
  const unreadable: string[] = [];
  const names = await looked(state, unreadable, namesIn(state));
  const found = await Promise.all(names.map((name) => keptAt(mountDirectoryAt(join(state, name)))));
  return {
    entries: byAge(found.flatMap((each) => each.entries)),
    unreadable: [...unreadable, ...found.flatMap((each) => each.unreadable)],
  };
}

/** As `keptInState`, of one mount point. */
export async function keptAt(directory: MountDirectory): Promise<FoundKept> {
  const record = await recordAt<MountRecord>(directory.record);
  const isServed = record?.daemon !== undefined && (await isRunning(record.daemon));
  const entries: KeptEntry[] = [];
  const unreadable: string[] = [];
  for (const name of await looked(directory.accounts, unreadable, namesIn(directory.accounts))) {
    const account = accountDirectoryAt(directory.accounts, name);
    const isOfRecord = (record?.account ?? name) === name;
    const served = isServed && isOfRecord;
    const written = await recordAt<AccountRecord>(account.record);
    const place = { directory, account, written, served, root: isOfRecord ? record?.root : undefined };
    const { uploads } = account;
    const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
    const onDamage = (): void => void unreadable.push(printable(`${uploads}: ${DAMAGED}`));
    const files = [
      ...(await looked(uploads, unreadable, filesOwed(uploads, { signal, served, onDamage }))),
      ...(served ? [] : await looked(uploads, unreadable, editsLeft(uploads, signal))),
      ...(await looked(uploads, unreadable, filesAside(uploads))),
    ];
    entries.push(...files.map((file) => ({ place, file })));
  }
  return { entries: byAge(entries), unreadable };
}

function byAge(entries: readonly KeptEntry[]): readonly KeptEntry[] {
  return entries.toSorted((a, b) => a.file.keptMs - b.file.keptMs);
}

/** None when the look fails: `unreadable` is told where and why then. */
async function looked<Found>(
  path: string,
  unreadable: string[],
  look: Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  try {
    return await look;
  } catch (error) {
    const isSlow = error instanceof Error && error.name === 'AbortError';
    unreadable.push(printable(`${path}: ${isSlow ? 'takes too long to read' : plainReason(error)}`));
    return [];
  }
}

/** Whether only a person can deal with the file: neither a mount nor the next one does by itself. */
export function needsPerson({ file }: KeptEntry): boolean {
  return file.state === 'refused' || file.state === 'aside';
}

/** As people name it: no two of one place have the same. */
export function shortId({ id }: KeptFile): string {
  return /^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : id;
}

/** Where a person sees it, or saw it. */
export function shownPath({ place, file }: KeptEntry): string {
  const { written, root } = place;
  const { label } = file;
  if (written === undefined || !label.startsWith('/')) return label;
  const isBelowRoot = root !== undefined && label.startsWith(`/${root}/`);
  return `${written.mountPoint}${isBelowRoot ? label.slice(root.length + 1) : label}`;
}

/** Those that a person means by an id, a path in the mount, or the file that keeps the bytes. */
export function meantBy(entries: readonly KeptEntry[], given: string): readonly KeptEntry[] {
  const byId = entries.filter(({ file }) => file.id === given || shortId(file) === given);
  if (byId.length > 0) return byId;
  const path = resolve(given);
  return entries.filter(
    (entry) => entry.file.label === given || shownPath(entry) === path || entry.file.path === path,
  );
}

/** Undefined too when it may not be read, or holds something else. */
async function recordAt<T extends MountRecord | AccountRecord>(path: string): Promise<T | undefined> {
  return (await readRecord<T>(path).catch(() => undefined)) ?? undefined;
}

/** None when there is no such directory, or it is another user's. */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    if (code === 'EACCES' && !(await isOwn(directory))) return [];
    throw error;
  }
}

async function isOwn(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.uid === process.geteuid?.();
}
