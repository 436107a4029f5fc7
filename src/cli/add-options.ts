import { type Command, Option as CommandOption, InvalidArgumentError } from 'commander';
import { InvalidValue, type Option } from '../config/option.ts';

const NO: ReadonlySet<string> = new Set(['', '0', 'false', 'no', 'off']);

/** Flags that a variable switches off, with the name of that variable. */
const REFUSED = new WeakMap<CommandOption, string>();

/** Options that may be repeated (`collect`). */
const REPEATABLE = new WeakSet<CommandOption>();

/** The variable that says that this flag is not given, whatever else would give it. */
export function refusingVariable(option: CommandOption): string | undefined {
  return REFUSED.get(option);
}

/** Whether the value of the option is a list, to which each mention of it adds. */
export function isRepeatable(option: CommandOption): boolean {
  return option.variadic || REPEATABLE.has(option);
}

type Options = Readonly<Record<string, Option<unknown>>>;

/** Gives a command the options declared in `src/config`. */
export function addOptions(command: Command, options: Options): Command {
  for (const option of Object.values(options)) command.addOption(commandOption(option));
  return command;
}

/** As `addOptions`. The help of the command shows each group below its heading. */
export function addOptionGroups(command: Command, groups: Readonly<Record<string, Options>>): Command {
  for (const [heading, options] of Object.entries(groups)) {
    for (const option of Object.values(options))
      command.addOption(commandOption(option).helpGroup(`${heading}:`));
  }
  return command;
}

function commandOption(option: Option<unknown>): CommandOption {
  const result = new CommandOption(option.flags, option.help).default(option.default, option.defaultText);
  const { parse, environment } = option;
  // The parser takes every flag of this form for the contrary of another.
  if (result.required) result.negate = false;
  if (environment !== undefined) {
    if (isRefused(result, environment)) REFUSED.set(result, environment);
    else if (!isUnset(option, environment)) result.env(environment);
  }
  if (option.choices !== undefined) result.choices(option.choices);
  if (option.collect === true) {
    REPEATABLE.add(result);
    result.argParser((text, before: readonly unknown[] | undefined) => [
      ...(before ?? []),
      ...(parse === undefined ? [text] : (parsed(parse, text) as readonly unknown[])),
    ]);
  } else if (parse !== undefined) {
    result.argParser((text) => parsed(parse, text));
  }
  return result;
}

function parsed<T>(parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof InvalidValue) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** The parser takes a variable that is there for a flag that is given, whatever its text. */
function isRefused({ required, optional }: CommandOption, environment: string): boolean {
  const text = process.env[environment];
  return !required && !optional && text !== undefined && NO.has(text.toLowerCase());
}

/** An empty variable counts as unset, but for an option that takes an empty text. */
function isUnset({ parse }: Option<unknown>, environment: string): boolean {
  if (process.env[environment] !== '') return false;
  try {
    parse?.('');
  } catch (error) {
    if (error instanceof InvalidValue) return true;
    throw error;
  }
  return parse === undefined;
}
