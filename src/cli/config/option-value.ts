import { InvalidArgumentError, type Option } from 'commander';
import { ConfigFileError } from '../../config/file/config-file.ts';
import type { Setting } from '../../config/file/settings.ts';
import { isRepeatable } from '../add-options.ts';

/** The option as `-o`, `svcfs config show` and a configuration file write it: `metadata-ttl`. */
export function nameOf(option: Option): string {
  return option.long?.replace(/^--/, '') ?? option.name();
}

/** The value of an option from a configuration file, read as its text on the command line would be. */
export function configuredValue(option: Option, { value, path, table }: Setting): unknown {
  const invalid = (reason: string): Error =>
    new ConfigFileError(`${path}: ${nameOf(option)} in [${table}]: ${reason}`);
  if (!option.required && !option.optional) {
    if (typeof value !== 'boolean') throw invalid('Expected true or false.');
    return option.negate ? !value : value;
  }
  if (typeof value === 'boolean') throw invalid('Expected a text or a number.');
  if (!isRepeatable(option))
    return takeText(option, Array.isArray(value) ? value.join() : String(value), invalid);
  const texts = Array.isArray(value) ? value.map(String) : [String(value)];
  return texts.reduce<unknown>((before, text) => takeText(option, text, invalid, before), undefined);
}

/** As the command line takes the text. `before`: the value so far, of an option that may be repeated. */
export function takeText(
  option: Option,
  text: string,
  invalid: (reason: string) => Error,
  before?: unknown,
): unknown {
  const { parseArg, variadic } = option;
  try {
    if (parseArg !== undefined) return parseArg(text, before);
    return variadic ? [...((before as string[] | undefined) ?? []), text] : text;
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw invalid(error.message);
    throw error;
  }
}
