import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ConfigFile, isTable, type Table, type Value } from './config-file.ts';

/** The option of a command, as a configuration file sets it. */
export interface Setting {
  readonly value: Value;
  readonly path: string;
  /** The table that it stands in, as the file writes it: `mountpoint."/mnt/svc".mount`. */
  readonly table: string;
}

/** Where an option may be set for the command that runs. */
export interface Place {
  /** `['admin', 'tokens', 'create']` for `svcfs admin tokens create`. */
  readonly command: readonly string[];
  readonly profile: string | undefined;
  readonly mountPoint: string | undefined;
}

/**
 * The settings of one command, by the names of options. A mount point goes before a profile, and a profile before the table of the
 * command; of the same table, the first file.
 */
export function settingsFor(files: readonly ConfigFile[], place: Place): ReadonlyMap<string, Setting> {
  const settings = new Map<string, Setting>();
  const { command, profile, mountPoint } = place;
  if (mountPoint !== undefined) {
    for (const { path, table } of files) {
      for (const [name, of] of tablesIn(table, 'mountpoint')) {
        if (mountPointOf(name) === mountPoint)
          collect(settings, { path, of, at: ['mountpoint', name], command });
      }
    }
  }
  for (const { path, table } of profile === undefined ? [] : files) {
    const of = tablesIn(table, 'profile').find(([name]) => name === profile)?.[1];
    if (of !== undefined) collect(settings, { path, of, at: ['profile', profile ?? ''], command });
  }
  for (const { path, table } of files) collect(settings, { path, of: table, at: [], command });
  return settings;
}

/** An absolute path. `~/svc` is below the home directory: no shell has seen the file. */
export function mountPointOf(text: string): string {
  return resolve(text.startsWith('~/') ? join(homedir(), text.slice(2)) : text);
}

/** `profile.lab`, `mountpoint."/mnt/svc"`: a key in quotes where TOML wants them. */
export function tableName(keys: readonly string[]): string {
  return keys.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join('.');
}

/** The name of an option, which a file may write with underscores. */
export function optionNameOf(key: string): string {
  return key.replaceAll('_', '-');
}

function tablesIn(table: Table, key: string): readonly (readonly [string, Table])[] {
  const inner = table[key];
  if (!isTable(inner)) return [];
  return Object.entries(inner).filter((entry): entry is [string, Table] => isTable(entry[1]));
}

/** Takes up what `of` sets for the command, unless that is set already. The table of a group, as `admin`, is for all commands of it. */
function collect(
  settings: Map<string, Setting>,
  { path, of, at, command }: { path: string; of: Table; at: readonly string[]; command: readonly string[] },
): void {
  for (const [depth, table] of tablesDownTo(of, command).reverse()) {
    for (const [key, value] of Object.entries(table)) {
      const name = optionNameOf(key);
      if (isTable(value) || settings.has(name)) continue;
      settings.set(name, { value, path, table: tableName([...at, ...command.slice(0, depth)]) });
    }
  }
}

/** The tables of `admin`, `admin.tokens` and `admin.tokens.create` in `of`, each with the number of its keys. */
function tablesDownTo(of: Table, command: readonly string[]): (readonly [number, Table])[] {
  const tables: (readonly [number, Table])[] = [];
  let table = of;
  for (const [index, name] of command.entries()) {
    const inner = table[name];
    if (!isTable(inner)) break;
    tables.push([index + 1, inner]);
    table = inner;
  }
  return tables;
}
