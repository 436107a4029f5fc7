/** Files that were closed on mounts which are no more, and wait on this machine until somebody mounts there again. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AccountDirectory,
  accountDirectoryAt,
  type MountDirectory,
  mountDirectoryAt,
} from '../../config/directories.ts';
import { type WaitingUploads, waitingUploads } from '../../content/write/recovery/waiting-uploads.ts';
import { editsLeft } from '../../edits/left-edits.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { messageOf } from '../../lib/message-of.ts';
import { isRunning } from '../../lib/process-identity.ts';
import { type AccountRecord, type MountRecord, readRecord } from '../record.ts';

/** For one journal; its mount is not to be waited for long. */
const LOOK_TIMEOUT_MS = 2000;

/** One line for each account and mount point, over all in a state directory. Never rejects, and only reads. */
export async function waitingElsewhere(state: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const name of await namesIn(state))
    lines.push(...(await waitingAt(mountDirectoryAt(join(state, name)))));
  return lines;
}

/** The same for one mount point. */
export async function waitingAt({ accounts, record: path }: MountDirectory): Promise<readonly string[]> {
  const lines: string[] = [];
  const record = await recordAt<MountRecord>(path);
  const served = record?.daemon ? await isRunning(record.daemon) : false;
  for (const account of await namesIn(accounts)) {
    if (served && (record?.account ?? account) === account) continue;
    const line = await look(accountDirectoryAt(accounts, account));
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

async function look({ root, record, uploads }: AccountDirectory): Promise<string | undefined> {
  const place = { root, written: await recordAt<AccountRecord>(record) };
  const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
  try {
    const waiting = await waitingUploads(uploads, signal);
    const edited = (await editsLeft(uploads, signal)).length;
    if (waiting.files === 0 && edited === 0) return undefined;
    return describeWaiting({ ...waiting, edited }, place);
  } catch (error) {
    if (signal.aborted) return describeWaiting({ reason: `${uploads}: takes too long to read` }, place);
    return describeWaiting({ reason: messageOf(error) }, place);
  }
}

/** Undefined too when it may not be read, or holds something else. */
async function recordAt<T extends MountRecord | AccountRecord>(path: string): Promise<T | undefined> {
  return (await readRecord<T>(path).catch(() => undefined)) ?? undefined;
}

/** None when it is no directory, or another user's. */
function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch(() => []);
}

interface WaitingPlace {
  readonly root: string;
  /** Undefined: an older version wrote there. */
  readonly written: AccountRecord | undefined;
}

/** What waits, or the reason why that cannot be told. */
type Waiting =
  /** `edited`: files whose new metadata waits. */
  (WaitingUploads & { readonly edited: number }) | { readonly reason: string };

/** One line for a person, with what to do about it. */
function describeWaiting(waiting: Waiting, { root, written }: WaitingPlace): string {
  const origin = written === undefined ? `of ${root}` : `written through ${written.mountPoint}`;
  const remedy =
    written === undefined
      ? 'mount again where they were written'
      : `mount ${written.endpoint} (user ${written.username}) on ${written.mountPoint} again`;
  return `${describeFiles(waiting, origin)}; to upload them ${remedy}`;
}

function describeFiles(waiting: Waiting, origin: string): string {
  if ('reason' in waiting) return `perhaps not uploaded yet: files ${origin} (${waiting.reason})`;
  const { files, sizeBytes, edited } = waiting;
  const what = [
    ...(files > 0 ? [`${countOf(files)} (${describeSize(sizeBytes)})`] : []),
    ...(edited > 0 ? [`new metadata of ${countOf(edited)}`] : []),
  ];
  return `not uploaded yet: ${what.join(' and ')} ${origin}`;
}

function countOf(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}
