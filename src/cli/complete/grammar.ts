/** The words of the command line as shells complete them, taken from the commands themselves. */
import type { Argument, Command, Option } from 'commander';
import type { KnownNames } from './known-names.ts';

/** What may stand at a place: a fixed choice of words, something of the disk, or names that svcfs knows while it runs. */
export type Values =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' | 'directories' | 'commands' | 'nothing' }
  | { readonly kind: KnownNames };

export interface GrammarOption {
  /** `-o` and `--options`. */
  readonly flags: readonly string[];
  readonly help: string;
  /** Absent for a flag. */
  readonly values?: Values;
}

/** One command, or the top, whose path is empty. */
export interface Grammar {
  /** `admin tokens create` */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly help: string }[];
  readonly options: readonly GrammarOption[];
  readonly arguments: readonly {
    readonly name: string;
    readonly values: Values;
    readonly repeats: boolean;
  }[];
}

const HELP: GrammarOption = { flags: ['-h', '--help'], help: 'display help for command' };

/** The top and all commands below it, each before its own commands. */
export function grammarOf(program: Command): readonly Grammar[] {
  return grammarAt(program, '');
}

function grammarAt(command: Command, path: string): readonly Grammar[] {
  const here: Grammar = {
    path,
    commands: command.commands.flatMap((each) =>
      [each.name(), ...each.aliases()].map((name) => ({ name, help: each.summary() || each.description() })),
    ),
    options: withHelp(command.options.filter(({ hidden }) => !hidden).map(optionOf)),
    arguments: command.registeredArguments.map((each) => ({
      name: each.name(),
      values: valuesOfArgument(each, path),
      repeats: each.variadic,
    })),
  };
  const below = command.commands.flatMap((each) =>
    [each.name(), ...each.aliases()].flatMap((name) => grammarAt(each, `${path} ${name}`.trim())),
  );
  return [here, ...below];
}

/** A command may have another meaning for `-h`, as ls(1) has. */
function withHelp(options: readonly GrammarOption[]): readonly GrammarOption[] {
  const taken = new Set(options.flatMap(({ flags }) => flags));
  return [...options, { ...HELP, flags: HELP.flags.filter((flag) => !taken.has(flag)) }];
}

function optionOf(option: Option): GrammarOption {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  const help = option.description;
  if (!option.required && !option.optional) return { flags, help };
  return { flags, help, values: valuesOfOption(option) };
}

function valuesOfOption({ argChoices, flags, long }: Option): Values {
  if (argChoices !== undefined) return { kind: 'words', words: argChoices };
  if (long === '--profile') return { kind: 'profiles' };
  const [, placeholder = ''] = /<([^>]*)>/.exec(flags) ?? [];
  if (/^file$/.test(placeholder)) return { kind: 'files' };
  if (/^dir(ectory)?$/.test(placeholder)) return { kind: 'directories' };
  if (placeholder.startsWith('owner/')) return { kind: long === '--volume' ? 'volumes' : 'projects' };
  return { kind: 'nothing' };
}

/** Where an empty directory is wanted, the mounts that are there are not. */
const MAKE_MOUNTS: ReadonlySet<string> = new Set(['mount', 'demo', 'config show']);

function valuesOfArgument(argument: Argument, path: string): Values {
  const name = argument.name();
  if (argument.argChoices !== undefined) return { kind: 'words', words: argument.argChoices };
  if (name === 'mountpoint') return { kind: MAKE_MOUNTS.has(path) ? 'directories' : 'mounts' };
  if (name === 'command') return { kind: 'commands' };
  return { kind: name === 'path' || name === 'dest' || name === 'file' ? 'files' : 'nothing' };
}
