import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type MountDirectory,
  mountDirectory,
  mountDirectoryAt,
  stateDirectory,
} from '../../config/directories.ts';
import { exists } from '../../lib/exists.ts';
import { CliError } from '../exit-codes.ts';
import { findMount } from '../mount/find-mount.ts';
import { locate, runningMounts } from '../mount/select-mount.ts';

/**
 * Where the log of a mount is, also of one that has ended. Without a path: of the mount that the working directory is in, or the
 * only one that runs, else of the one that ended last.
 *
 * @throws CliError when there is none, or there are several
 */
export async function findLog(path: string | undefined): Promise<MountDirectory> {
  const state = stateDirectory(process.env, homedir());
  const here = await locate(path ?? '.');
  if (here !== undefined) return here.mount.directory;
  if (path !== undefined) {
    const directory = mountDirectory(state, (await findMount(path)).mountPoint);
    if (await exists(directory.log)) return directory;
    throw new CliError('notMounted', `${path}: no mount has written a log there (${directory.log})`);
  }
  const [only, ...others] = await runningMounts();
  if (only === undefined) return newestIn(state);
  if (others.length === 0) return only.directory;
  const all = [only, ...others].map(({ mountPoint }) => mountPoint).join(', ');
  throw new CliError('usage', `several mounts are there, name one: ${all}`);
}

async function newestIn(state: string): Promise<MountDirectory> {
  const names = await readdir(state).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const directory = mountDirectoryAt(join(state, name));
      const facts = await stat(directory.log).catch(() => undefined);
      return facts === undefined ? [] : [{ directory, atMs: facts.mtimeMs }];
    }),
  );
  const [newest] = found.flat().sort((one, other) => other.atMs - one.atMs);
  if (newest === undefined) throw new CliError('notMounted', `no mount has written a log in ${state}`);
  return newest.directory;
}
