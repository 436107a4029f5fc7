import { parseArgs } from 'node:util';
import { messageOf } from '../../lib/message-of.ts';
import { CliError } from '../exit-codes.ts';

export type ShellCommand = 'cp' | 'mv' | 'rm';

export interface ShellArguments {
  readonly recursive: boolean;
  readonly clobber: boolean;
  readonly update: boolean;
  readonly preserve: boolean;
  readonly noTargetDirectory: boolean;
  readonly sources: readonly string[];
  /** Undefined for rm(1). */
  readonly target: string | undefined;
  /** Several, or `-t`: it must be a directory. */
  readonly intoDirectory: boolean;
}

const FLAG = (short?: string) => ({ type: 'boolean', ...(short !== undefined && { short }) }) as const;

/** The options that change what happens, and those that change nothing here. */
const OPTIONS = {
  recursive: FLAG('r'),
  upper: FLAG('R'),
  archive: FLAG('a'),
  preserve: FLAG('p'),
  force: FLAG('f'),
  interactive: FLAG('i'),
  'no-clobber': FLAG('n'),
  update: FLAG('u'),
  verbose: FLAG('v'),
  dir: FLAG('d'),
  'no-target-directory': FLAG('T'),
  'target-directory': { type: 'string', short: 't' },
} as const;

/** Reads the arguments of the shell's own command. @throws CliError for an option that is not known here */
export function shellArguments(command: ShellCommand, args: readonly string[]): ShellArguments {
  const { values, positionals } = parsed(command, args);
  const given = positionals.length;
  const directory = values['target-directory'];
  const isRemoval = command === 'rm';
  if (given < (isRemoval || directory !== undefined ? 1 : 2))
    throw new CliError(
      'usage',
      `${command}: name ${isRemoval ? 'what it removes' : 'its sources and target'}`,
    );
  const archive = values.archive ?? false;
  const target = isRemoval ? undefined : (directory ?? positionals.at(-1));
  return {
    recursive: (values.recursive ?? false) || (values.upper ?? false) || archive,
    clobber: !(values['no-clobber'] ?? false),
    update: values.update ?? false,
    preserve: archive || (values.preserve ?? false),
    noTargetDirectory: values['no-target-directory'] ?? false,
    sources: target === undefined || directory !== undefined ? positionals : positionals.slice(0, -1),
    target,
    intoDirectory: directory !== undefined || given > 2,
  };
}

function parsed(command: ShellCommand, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new CliError('usage', `${command}: ${messageOf(error)}`);
  }
}
