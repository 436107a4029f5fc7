/**
 * Configuration files: options of commands, for all mounts, for a profile, or for a mount point.
 *
 *   [mount]
 *   metadata-ttl = 30
 *   [profile.lab.mount]
 *   read-only = true
 *   [mountpoint."/mnt/svc".mount]
 *   profile = "lab"
 */
import { open } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { errorCode } from '../../lib/error-code.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import type { Environment } from '../directories.ts';

/** The value of an option, as the file has it. */
export type Value = string | number | boolean | readonly (string | number)[];

/** A table of the file: options by name, and the tables of commands below this one. */
export interface Table {
  readonly [key: string]: Value | Table;
}

export interface ConfigFile {
  readonly path: string;
  readonly table: Table;
}

/** A configuration file cannot be used. The message names the file and the place in it. */
export class ConfigFileError extends Error {
  override readonly name = 'ConfigFileError';
}

const OF_SYSTEM = '/etc/svcfs/config.toml';
/** Write permission of the group and of others. */
const WRITABLE_BY_OTHERS = 0o022;

/** Paths of the files that count, the more personal one first. One that is named stands in for both. */
export function configFilePaths(environment: Environment, named: string | undefined): readonly string[] {
  const chosen = named ?? environment['SVCFS_CONFIG'];
  if (chosen) return [resolve(chosen)];
  const home = environment['XDG_CONFIG_HOME'] || join(environment['HOME'] || homedir(), '.config');
  return [join(home, 'svcfs', 'config.toml'), OF_SYSTEM];
}

/**
 * The files that exist, in the order of `configFilePaths`.
 *
 * @throws ConfigFileError for a named file that does not exist, a file that is no TOML, and one that other users may change
 */
export async function readConfigFiles(
  environment: Environment,
  named?: string,
): Promise<readonly ConfigFile[]> {
  const isNamed = named !== undefined || Boolean(environment['SVCFS_CONFIG']);
  const files: ConfigFile[] = [];
  for (const path of configFilePaths(environment, named)) {
    const text = await textOf(path, isNamed);
    if (text !== undefined) files.push({ path, table: tableOf(path, text) });
  }
  return files;
}

async function textOf(path: string, isNamed: boolean): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const { mode, uid } = await file.stat();
      if ((mode & WRITABLE_BY_OTHERS) !== 0)
        throw new ConfigFileError(`other users may change ${path}: run chmod go-w ${path}`);
      if (uid !== 0 && uid !== userInfo().uid)
        throw new ConfigFileError(`${path} belongs to another user, who could send your token elsewhere`);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof ConfigFileError) throw error;
    if (errorCode(error) === 'ENOENT' && !isNamed) return undefined;
    throw new ConfigFileError(`cannot read ${path}: ${plainReason(error)}`, { cause: error });
  }
}

function tableOf(path: string, text: string): Table {
  try {
    return parse(text) as Table;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.split('\n');
    const what = reason.replace(/^Invalid TOML document: /, '');
    throw new ConfigFileError(`${path}, line ${error.line}: ${what}`, { cause: error });
  }
}

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
