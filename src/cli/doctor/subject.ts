import { resolve } from 'node:path';
import type { Command, Option } from 'commander';
import { ConfigFileError } from '../../config/file/config-file.ts';
import type { Setting } from '../../config/file/settings.ts';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { refusingVariable } from '../add-options.ts';
import { configuredValue, nameOf } from '../config/option-value.ts';
import { readChecked, settingsOf } from '../config/sources.ts';
import { findMount } from '../mount/find-mount.ts';

/** The mount that is there, or that `svcfs mount` would make. */
export interface Subject {
  /** Undefined: all mounts. */
  readonly mountPoint: string | undefined;
  readonly driver: string;
  readonly allowOther: boolean;
  readonly cacheDir: string | undefined;
  readonly stagingProject: string | undefined;
  readonly projects: readonly string[] | undefined;
}

export interface FoundSubject {
  readonly subject: Subject;
  /** The fault of a configuration file, without which the options are those by default. */
  readonly problem?: string;
}

/** Gives the command the options that `svcfs mount` would have from files, and answers those of its others that matter. */
export async function subjectOf(
  path: string | undefined,
  command: Command,
  { profile, config }: PlatformOptions,
): Promise<FoundSubject> {
  const program = command.parent ?? command;
  const mount = program.commands.find((each) => each.name() === 'mount');
  if (mount === undefined) throw new Error('there is no command mount');
  const mountPoint = path === undefined ? undefined : await mountPointAt(path);
  try {
    const settings = settingsOf(mount, await readChecked(program, config), { mountPoint, profile });
    configure(command, settings);
    return { subject: subjectBy(mount, settings, mountPoint) };
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    return { subject: subjectBy(mount, new Map(), mountPoint), problem: error.message };
  }
}

function configure(command: Command, settings: ReadonlyMap<string, Setting>): void {
  for (const option of command.options) {
    const setting = settings.get(nameOf(option));
    const source = command.getOptionValueSource(option.attributeName());
    if (setting === undefined || (source !== undefined && source !== 'default')) continue;
    command.setOptionValueWithSource(option.attributeName(), configuredValue(option, setting), 'config');
  }
}

function subjectBy(
  mount: Command,
  settings: ReadonlyMap<string, Setting>,
  mountPoint: string | undefined,
): Subject {
  const given = (name: string): unknown => {
    const option = mount.options.find((each) => nameOf(each) === name);
    return option && valueOfOption(option, settings.get(name));
  };
  return {
    mountPoint,
    driver: String(given('driver')),
    allowOther: given('allow-other') === true,
    cacheDir: given('cache-dir') as string | undefined,
    stagingProject: given('staging-project') as string | undefined,
    projects: given('project') as readonly string[] | undefined,
  };
}

/** As `svcfs mount` would have it without a command line. */
function valueOfOption(option: Option, setting: Setting | undefined): unknown {
  const { envVar, required, defaultValue } = option;
  const text = envVar === undefined ? undefined : process.env[envVar];
  if (text !== undefined) return required ? text : true;
  if (setting === undefined || refusingVariable(option) !== undefined) return defaultValue;
  return configuredValue(option, setting);
}

/** Of a mount that is there, or of a directory. The path may be that of nothing yet. */
async function mountPointAt(path: string): Promise<string> {
  return findMount(path).then(
    ({ mountPoint }) => mountPoint,
    () => resolve(path),
  );
}
