/** The ways in which a person deals with a file that is kept. Each answers a line that says what was done. */
import { lstat, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Journal } from '../../content/write/journal/journal.ts';
import { removeKept } from '../../content/write/kept/about-kept.ts';
import { putBack } from '../../content/write/kept/put-back.ts';
import { saveKept } from '../../content/write/kept/save-kept.ts';
import { removeSpool } from '../../content/write/spool/spool-file.ts';
import { dropEdits, leaveToNextMount } from '../../edits/left-edits.ts';
import { bootId } from '../../lib/boot-id.ts';
import { errorCode } from '../../lib/error-code.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import { printable } from '../../lib/printable.ts';
import { createLogger } from '../../observe/logger.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import { lockState } from '../mount/lock-state.ts';
import { requireOwnState } from '../require-own-state.ts';
import { type KeptEntry, type KeptPlace, keptAt, shownPath } from './kept-entries.ts';

export async function save(
  entry: KeptEntry,
  given: string,
  { replace }: { readonly replace: boolean },
): Promise<string> {
  const { file } = entry;
  const path = shownPath(entry);
  if (file.path === undefined && file.bytes === undefined && file.sizeBytes > 0)
    throw failure(path, `none of its bytes are on this machine${file.missing ? `: ${file.missing}` : ''}`);
  const to = (await isDirectory(given)) ? join(given, basename(file.label)) : resolve(given);
  if (!replace && (await exists(to)))
    throw failure(to, 'exists, and stays as it is: name another file, or give --replace');
  await saveKept(file, to, { replace }).catch((error: unknown) => {
    throw failure(path, `could not be saved to ${to}: ${plainReason(error)}`);
  });
  if (!(await isUnchanged(entry)))
    throw failure(path, `was changed while it was saved: what is in ${to} may be half old, save it again`);
  if (file.missing !== undefined) throw failure(path, `saved to ${to}, but not whole: ${file.missing}`);
  return printable(`${path}: saved to ${to}; it is kept here as well until svcfs recover drop`);
}

export async function retry(entry: KeptEntry): Promise<string> {
  const { place, file } = entry;
  const path = shownPath(entry);
  if (place.served) {
    await ask(entry, 'retry');
    return printable(`${path}: ${file.owed === undefined ? 'uploaded' : 'its metadata is on the service'}`);
  }
  if (file.state === 'unclosed')
    throw failure(path, 'its mount ended before it was closed: save it, and copy it where it is to go');
  if (file.state === 'aside') await leaveAside(place, file);
  const { written } = place;
  const how =
    written === undefined
      ? 'somebody mounts again where it was written'
      : `you mount ${written.endpoint} (user ${written.username}) on ${written.mountPoint} again`;
  return printable(`${path}: tried again when ${how}`);
}

export async function drop(entry: KeptEntry): Promise<string> {
  const { place, file } = entry;
  if (file.state === 'aside') await removeAside(entry);
  else if (place.served) await ask(entry, 'drop');
  else await dropWaiting(place, file);
  return printable(`${shownPath(entry)}: dropped`);
}

async function removeAside({ place, file }: KeptEntry): Promise<void> {
  await requireOwnState(place.directory);
  if (file.path !== undefined) await removeKept(place.account.uploads, basename(file.path));
}

async function ask({ place, file }: KeptEntry, action: 'retry' | 'drop'): Promise<void> {
  const mountPoint = place.written?.mountPoint ?? place.directory.root;
  const request = { request: 'recover', action, draft: file.id } as const;
  const { failures } = await inquire({ mountPoint, directory: place.directory }, request);
  if (failures.length > 0) throw new CliError('failure', failures.map(printable).join('\n'));
}

/** A mount that has it may have had it changed. */
async function isUnchanged({ place, file }: KeptEntry): Promise<boolean> {
  const { entries } = await keptAt(place.directory);
  return entries.some(
    (now) => now.place.account.root === place.account.root && isDeepStrictEqual(now.file, file),
  );
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw failure(path, plainReason(error));
  }
}

function failure(path: string, reason: string): CliError {
  return new CliError('failure', printable(`${path}: ${reason}`));
}

const STDERR = 2;

/** Nothing of it is owed any more. */
function dropWaiting(place: KeptPlace, file: KeptEntry['file']): Promise<void> {
  if (file.owed === undefined) return dropDraft(place, file.id);
  const { file: changed } = file.owed;
  return whileLocked(place, async () => {
    if (!(await dropEdits(place.account.uploads, changed))) throw dealtWith(file.id);
  });
}

/** The draft is owed no more, and its bytes are gone, after a power failure too. No mount has the journal meanwhile. */
function dropDraft(place: KeptPlace, draftId: string): Promise<void> {
  return withJournal(place, async (journal) => {
    if (!journal.drafts.some(({ id }) => id === draftId)) throw dealtWith(draftId);
    journal.record({ type: 'end', id: draftId });
    await journal.durable();
    await removeSpool(join(place.account.uploads, `${draftId}.spool`));
  });
}

/** Has a file that is kept aside wait for the next mount, which uploads it. */
async function leaveAside(place: KeptPlace, { id, owed }: KeptEntry['file']): Promise<void> {
  const { uploads } = place.account;
  if (owed !== undefined) {
    await whileLocked(place, () => leaveToNextMount(uploads, id));
    return;
  }
  const boot = await bootId();
  await withJournal(place, (journal) => putBack({ directory: uploads, journal, bootId: boot }, id));
}

function dealtWith(id: string): CliError {
  return new CliError('failure', `${id}: a mount has dealt with it meanwhile`);
}

function withJournal<T>(place: KeptPlace, work: (journal: Journal) => Promise<T>): Promise<T> {
  return whileLocked(place, async () => {
    const journal = await Journal.open(place.account.uploads);
    try {
      return await work(journal);
    } finally {
      await journal.close();
    }
  });
}

/** While no mount has the place. */
async function whileLocked<T>(place: KeptPlace, work: () => Promise<T>): Promise<T> {
  await requireOwnState(place.directory);
  const log = createLogger({ fd: STDERR, level: 'error' });
  const lock = await lockState(place.directory, log, { mounts: false });
  try {
    return await work();
  } finally {
    await lock.unlock();
  }
}
