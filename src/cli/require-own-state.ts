import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { MountDirectory } from '../config/directories.ts';
import { CliError } from './exit-codes.ts';
import { STATE_DIRECTORY_FAILS } from './make-own-directory.ts';

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const WRITABLE_BY_ALL = 0o002;

/**
 * Refuses state that other users could put files into or replace: they would choose what svcfs uploads and where it writes.
 *
 * @throws CliError that names the directory and the remedy
 */
export async function requireOwnState({ root }: Pick<MountDirectory, 'root'>): Promise<void> {
  const state = dirname(root);
  await requireKept(dirname(state));
  for (const path of [state, root]) await requireOwn(path);
}

async function requireOwn(path: string): Promise<void> {
  const { uid, mode } = await stat(path);
  const own = process.geteuid?.() ?? uid;
  if (uid !== own) throw refusal(path, `belongs to another user (${uid})`, STATE_DIRECTORY_FAILS.remedy);
  if ((mode & WRITABLE_BY_OTHERS) !== 0)
    throw refusal(path, 'can be written by others', `run chmod go-w ${path}`);
}

/**
 * A user who may write to a directory may replace its entries, except where only owners may (the sticky bit, as in /tmp).
 */
async function requireKept(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & WRITABLE_BY_ALL) !== 0 && (mode & STICKY) === 0)
    throw refusal(path, 'can be written by every user', `run chmod o-w ${path}`);
}

function refusal(path: string, why: string, remedy: string): CliError {
  return new CliError(STATE_DIRECTORY_FAILS.exit, `cannot keep state in ${path}, which ${why}: ${remedy}`);
}
