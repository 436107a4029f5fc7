import { type Command, Option as CommandOption, InvalidArgumentError } from 'commander';
import { InvalidValue, type Option } from '../config/option.ts';

const NO: ReadonlySet<string> = new Set(['', '0', 'false', 'no', 'off']);

/** Gives a command the options declared in `src/config`. */
export function addOptions(command: Command, options: Readonly<Record<string, Option<unknown>>>): Command {
  for (const option of Object.values(options)) command.addOption(commandOption(option));
  return command;
}

function commandOption(option: Option<unknown>): CommandOption {
  const result = new CommandOption(option.flags, option.help).default(option.default, option.defaultText);
  if (option.environment !== undefined && !isRefused(result, option.environment))
    result.env(option.environment);
  if (option.choices !== undefined) result.choices(option.choices);
  const { parse } = option;
  if (parse !== undefined) {
    result.argParser((text) => {
      try {
        return parse(text);
      } catch (error) {
        if (error instanceof InvalidValue) throw new InvalidArgumentError(error.message);
        throw error;
      }
    });
  }
  return result;
}

/** The parser takes a variable that is there for a flag that is given, whatever its text. */
function isRefused({ required, optional }: CommandOption, environment: string): boolean {
  const text = process.env[environment];
  return !required && !optional && text !== undefined && NO.has(text.toLowerCase());
}
