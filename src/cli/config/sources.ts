/** Where the value of each option of a command comes from: the command line, a variable, a file, or nowhere. */
import type { Command, Option } from 'commander';
import { type ConfigFile, readConfigFiles } from '../../config/file/config-file.ts';
import { mountPointOf, type Setting, settingsFor } from '../../config/file/settings.ts';
import { refusingVariable } from '../add-options.ts';
import { checkNames } from './check-names.ts';
import { applyCommaOptions } from './comma-options.ts';
import { configuredValue, nameOf } from './option-value.ts';

/** A command that ends a mount works whatever a file says. The doctor tells what is wrong with one. */
const UNCONFIGURED: ReadonlySet<string> = new Set(['unmount', 'show', 'doctor']);

const APPLIED = new WeakMap<Command, ReadonlyMap<string, Setting>>();

export type Source =
  | { readonly kind: 'command line' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'file'; readonly setting: Setting }
  | { readonly kind: 'default' };

/** The words after `svcfs` that name the command. */
export function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

/** Reads the configuration files, and refuses names in them that mean nothing. */
export async function readChecked(program: Command, named?: string): Promise<readonly ConfigFile[]> {
  const files = await readConfigFiles(process.env, named);
  for (const file of files) checkNames(file, program);
  return files;
}

/** The settings of a command for a mount point. The profile counts that the command line, a variable or a table of the file names. */
export function settingsOf(
  command: Command,
  files: readonly ConfigFile[],
  {
    mountPoint,
    profile,
  }: { readonly mountPoint?: string | undefined; readonly profile?: string | undefined },
): ReadonlyMap<string, Setting> {
  const place = {
    command: pathOf(command),
    mountPoint: mountPoint === undefined ? undefined : mountPointOf(mountPoint),
  };
  const named = profile ?? settingsFor(files, { ...place, profile: undefined }).get('profile')?.value;
  return settingsFor(files, { ...place, profile: named === undefined ? 'default' : String(named) });
}

/** Before the command runs: options that neither the command line nor a variable gives get what a file sets for them. */
export async function applyConfiguration(program: Command, command: Command): Promise<void> {
  if (command.options.length === 0 || UNCONFIGURED.has(command.name())) return;
  applyCommaOptions(command, (command.getOptionValue('options') as readonly string[] | undefined) ?? []);
  const named = command.getOptionValue('config') as string | undefined;
  const files = await readChecked(program, named);
  if (files.length === 0) return;
  const argument = command.registeredArguments.findIndex((each) => each.name() === 'mountpoint');
  const settings = settingsOf(command, files, {
    mountPoint: argument < 0 ? undefined : command.args[argument],
    profile: command.getOptionValue('profile') as string | undefined,
  });
  APPLIED.set(command, settings);
  for (const option of command.options) {
    const setting = settings.get(nameOf(option));
    if (setting === undefined || sourceOf(command, option, settings).kind !== 'file') continue;
    command.setOptionValueWithSource(option.attributeName(), configuredValue(option, setting), 'config');
  }
}

/** The settings that `applyConfiguration` found for a command that runs. */
export function appliedSettings(command: Command): ReadonlyMap<string, Setting> {
  return APPLIED.get(command) ?? new Map();
}

/** Of a command that was parsed, or was not: then the command line gives nothing. */
export function sourceOf(command: Command, option: Option, settings: ReadonlyMap<string, Setting>): Source {
  const given = command.getOptionValueSource(option.attributeName());
  if (given === 'cli') return { kind: 'command line' };
  const { envVar } = option;
  if (envVar !== undefined && process.env[envVar] !== undefined) return { kind: 'variable', name: envVar };
  const refusing = refusingVariable(option);
  if (refusing !== undefined) return { kind: 'variable', name: refusing };
  const setting = settings.get(nameOf(option));
  return setting === undefined ? { kind: 'default' } : { kind: 'file', setting };
}
