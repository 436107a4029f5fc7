import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { mountDirectory, stateDirectory } from '../../config/directories.ts';
import { errorCode } from '../../lib/error-code.ts';
import { isRunning } from '../../lib/process-identity.ts';
import { CliError } from '../exit-codes.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { findMount, isSvcfs } from './find-mount.ts';
import type { SvcfsMount } from './require-mount.ts';

/** A path in a mount. */
export interface PathInMount {
  readonly mount: SvcfsMount;
  /** From the top of the mount: `/projects/…`. */
  readonly path: string;
}

/** Finds the mount that a path lies in; there need be nothing at the path itself. */
export async function locate(path: string): Promise<PathInMount | undefined> {
  const absolute = resolve(path);
  for (let at = absolute; ; at = dirname(at)) {
    const found = await findMount(at).catch(() => undefined);
    if (found?.mounted !== undefined && isSvcfs(found.mounted))
      return { mount: mountAt(found.mountPoint), path: join('/', relative(at, absolute)) };
    if (at === dirname(at)) return undefined;
  }
}

/** By the mounts they lie in, in the order given. Throws for a path that is in none. */
export async function locateAll(
  paths: readonly string[],
): Promise<readonly { readonly mount: SvcfsMount; readonly paths: readonly string[] }[]> {
  const byMount = new Map<string, { readonly mount: SvcfsMount; readonly paths: string[] }>();
  for (const path of paths) {
    const located = await locate(path);
    if (located === undefined) throw new CliError('notMounted', `${path}: not in a mount of svcfs`);
    const { mount } = located;
    const known = byMount.get(mount.mountPoint);
    if (known === undefined) byMount.set(mount.mountPoint, { mount, paths: [located.path] });
    else known.paths.push(located.path);
  }
  return [...byMount.values()];
}

/** The mount at or above a path; without a path that of the working directory, or the only one there is. */
export async function selectMount(path: string | undefined): Promise<SvcfsMount> {
  const here = await locate(path ?? '.');
  if (here !== undefined) return here.mount;
  if (path !== undefined) throw new CliError('notMounted', `${path}: not in a mount of svcfs`);
  const [only, ...others] = await runningMounts();
  if (only === undefined) throw new CliError('notMounted', 'there is no mount of svcfs');
  if (others.length === 0) return only;
  const all = [only, ...others].map(({ mountPoint }) => mountPoint).join(', ');
  throw new CliError('usage', `several mounts are there, name one: ${all}`);
}

/** Those of this user. */
export async function runningMounts(): Promise<readonly SvcfsMount[]> {
  const state = stateDirectory(process.env, homedir());
  const mounts: SvcfsMount[] = [];
  for (const name of await namesIn(state)) {
    const record = await readRecord<MountRecord>(join(state, name, 'mount.json'));
    if (record !== undefined && (await isRunning(record.daemon))) mounts.push(mountAt(record.mountPoint));
  }
  return mounts;
}

function mountAt(mountPoint: string): SvcfsMount {
  return { mountPoint, directory: mountDirectory(stateDirectory(process.env, homedir()), mountPoint) };
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
