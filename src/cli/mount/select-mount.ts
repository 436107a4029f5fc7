import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { mountDirectory, stateDirectory } from '../../config/directories.ts';
import { type MountTable, readMountTable } from '../../fuse/mount-table.ts';
import { walkToMount } from '../../fuse/mount-walk.ts';
import { errorCode } from '../../lib/error-code.ts';
import { isRunning } from '../../lib/process-identity.ts';
import { CliError } from '../exit-codes.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { type FailedPaths, PathFailures } from './path-failures.ts';
import type { SvcfsMount } from './require-mount.ts';

/** A path in a mount. */
export interface PathInMount {
  readonly mount: SvcfsMount;
  /** From the top of the mount: `/projects/…`. */
  readonly path: string;
}

const NOT_IN_A_MOUNT = 'not in a mount of svcfs';

/** Paths by the mounts they lie in, in the order given. */
export interface LocatedPaths {
  readonly mounts: readonly { readonly mount: SvcfsMount; readonly paths: readonly string[] }[];
  /** As they were given. */
  readonly outside: FailedPaths;
}

/**
 * Finds the mount that a path lies in, over symbolic links; there need be nothing at the path itself. No mount of svcfs
 * is looked into: it may be dead, and it has no links.
 */
export async function locate(path: string, readTable = readMountTable): Promise<PathInMount | undefined> {
  return locateBy(await readTable(), path);
}

async function locateBy(mountedOn: MountTable, path: string): Promise<PathInMount | undefined> {
  const walked = await walkToMount(path, mountedOn);
  if (walked?.mount === undefined) return locatePassed(path);
  return { mount: mountAt(walked.path), path: join('/', ...walked.rest) };
}

/** In a passed mount, which this process may not see, by the name that `svcfs status` shows. */
async function locatePassed(path: string): Promise<PathInMount | undefined> {
  const absolute = resolve(path);
  for (const { mountPoint, passed } of await runningRecords()) {
    if (passed !== true || !`${absolute}/`.startsWith(`${mountPoint}/`)) continue;
    return { mount: mountAt(mountPoint), path: join('/', absolute.slice(mountPoint.length)) };
  }
  return undefined;
}

/** The passed mount of this name. */
export async function passedMount(path: string): Promise<SvcfsMount | undefined> {
  const located = await locatePassed(path);
  return located?.path === '/' ? located.mount : undefined;
}

/** Throws when all of them are in none. */
export async function locateAll(paths: readonly string[], readTable = readMountTable): Promise<LocatedPaths> {
  const mountedOn = await readTable();
  const byMount = new Map<string, { readonly mount: SvcfsMount; readonly paths: string[] }>();
  const outside = new PathFailures();
  for (const path of paths) {
    const located = await locateBy(mountedOn, path);
    if (located === undefined) {
      outside.add(path, new Error(NOT_IN_A_MOUNT));
      continue;
    }
    const { mount } = located;
    const known = byMount.get(mount.mountPoint);
    if (known === undefined) byMount.set(mount.mountPoint, { mount, paths: [located.path] });
    else known.paths.push(located.path);
  }
  const [first] = outside.failures;
  if (byMount.size === 0 && first !== undefined)
    throw new CliError('notMounted', `${first.path}: ${NOT_IN_A_MOUNT}`);
  return { mounts: [...byMount.values()], outside };
}

/** The mount at or above a path; without a path that of the working directory, or the only one there is. */
export async function selectMount(path: string | undefined): Promise<SvcfsMount> {
  const here = await locate(path ?? '.');
  if (here !== undefined) return here.mount;
  if (path !== undefined) throw new CliError('notMounted', `${path}: ${NOT_IN_A_MOUNT}`);
  const [only, ...others] = await runningMounts();
  if (only === undefined) throw new CliError('notMounted', 'there is no mount of svcfs');
  if (others.length === 0) return only;
  const all = [only, ...others].map(({ mountPoint }) => mountPoint).join(', ');
  throw new CliError('usage', `several mounts are there, name one: ${all}`);
}

/** Those of this user. */
export async function runningMounts(): Promise<readonly SvcfsMount[]> {
  return (await runningRecords()).map(({ mountPoint }) => mountAt(mountPoint));
}

async function runningRecords(): Promise<readonly MountRecord[]> {
  const state = stateDirectory(process.env, homedir());
  const records: MountRecord[] = [];
  for (const name of await namesIn(state)) {
    const record = await readRecord<MountRecord>(join(state, name, 'mount.json'));
    if (record !== undefined && (await isRunning(record.daemon))) records.push(record);
  }
  return records;
}

function mountAt(mountPoint: string): SvcfsMount {
  return { mountPoint, directory: mountDirectory(stateDirectory(process.env, homedir()), mountPoint) };
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    // A directory that may not be read is another user's.
    if (['ENOENT', 'EACCES'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}
