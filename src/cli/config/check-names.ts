/** Whether all that a configuration file names is there: commands, and options of them. */
import type { Command } from 'commander';
import { type ConfigFile, ConfigFileError, isTable, type Table } from '../../config/file/config-file.ts';
import { optionNameOf, tableName } from '../../config/file/settings.ts';
import { nearestWord } from '../../lib/nearest-word.ts';
import { nameOf } from './option-value.ts';

/** The two tables whose keys a user chooses. */
const CHOSEN = ['profile', 'mountpoint'] as const;

/** These say what to read, or are for one run. */
export const NOT_IN_FILES: ReadonlySet<string> = new Set([
  'config',
  'dry-run',
  'options',
  'quiet',
  'verbose',
]);

interface Spot {
  readonly path: string;
  readonly keys: readonly string[];
}

/** @throws ConfigFileError for the first name that means nothing, with the nearest one that does */
export function checkNames({ path, table }: ConfigFile, program: Command): void {
  const commands = Object.fromEntries(Object.entries(table).filter(([key]) => !isChosen(key)));
  checkTable(commands, program, { path, keys: [] }, CHOSEN);
  for (const name of CHOSEN) {
    const chosen = table[name];
    if (chosen === undefined) continue;
    for (const [key, inner] of Object.entries(requireTable(chosen, { path, keys: [name] })))
      checkTable(requireTable(inner, { path, keys: [name, key] }), program, { path, keys: [name, key] });
  }
}

function isChosen(key: string): boolean {
  return CHOSEN.some((name) => name === key);
}

function checkTable(
  table: Table,
  command: Command,
  { path, keys }: Spot,
  more: readonly string[] = [],
): void {
  const options = optionNames(command);
  for (const [key, value] of Object.entries(table)) {
    const here = { path, keys: [...keys, key] };
    const inner = command.commands.find((each) => each.name() === key);
    if (inner !== undefined) {
      checkTable(requireTable(value, here), inner, here);
    } else if (!options.has(optionNameOf(key))) {
      const known = [...command.commands.map((each) => each.name()), ...options, ...more];
      throw unknown(key, known, { path, keys });
    } else if (isTable(value)) {
      throw new ConfigFileError(`${path}: ${tableName(here.keys)} is an option, and no table`);
    }
  }
}

/** Of a command, or of all commands of a group. At the top there is none. */
function optionNames(command: Command): ReadonlySet<string> {
  if (command.parent === null) return new Set();
  const own = command.options.map(nameOf).filter((name) => !NOT_IN_FILES.has(name));
  return new Set([...own, ...command.commands.flatMap((each) => [...optionNames(each)])]);
}

function requireTable(value: Table[string], { path, keys }: Spot): Table {
  if (isTable(value)) return value;
  throw new ConfigFileError(
    `${path}: ${tableName(keys)} is a table: write [${tableName(keys)}] on a line of its own`,
  );
}

function unknown(key: string, known: readonly string[], { path, keys }: Spot): ConfigFileError {
  const where = keys.length === 0 ? '' : ` in [${tableName(keys)}]`;
  const [first, ...others] = known;
  const hint = first === undefined ? '' : `: did you mean ${nearestWord(key, [first, ...others])}?`;
  return new ConfigFileError(`${path}: unknown key ${key}${where}${hint}`);
}
