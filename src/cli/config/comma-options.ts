/** Options as mount(8) and fstab(5) write them: `-o read-only,metadata-ttl=30`. */
import type { Command, Option } from 'commander';
import { optionNameOf } from '../../config/file/settings.ts';
import { nearestWord } from '../../lib/nearest-word.ts';
import { isRepeatable } from '../add-options.ts';
import { CliError } from '../exit-codes.ts';
import { nameOf, takeText } from './option-value.ts';

export interface CommaOption {
  readonly name: string;
  /** Absent for a flag. */
  readonly value: string | undefined;
}

/** Names that every file system has for options of ours, and the reverse of one. */
const USUAL_NAMES: Readonly<Record<string, string>> = { ro: 'read-only' };
const READ_WRITE = 'rw';
/** These decide about themselves. */
const NOT_BY_COMMA: ReadonlySet<string> = new Set(['options', 'verbose']);

/** The text in single options. `\,` stands for a comma, `\\` for a backslash; a value in double quotes may hold commas. */
export function splitCommaOptions(text: string): readonly CommaOption[] {
  const options: CommaOption[] = [];
  for (const [part] of text.matchAll(/(?:\\.|"[^"]*"|[^,\\])+/gs)) {
    const [, key = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(part) ?? [];
    if (key.trim() === '') throw new CliError('usage', `-o ${text}: an option has no name`);
    options.push({ name: optionNameOf(key.trim()), value: value === undefined ? undefined : plain(value) });
  }
  return options;
}

/** The reverse of `splitCommaOptions`. */
export function joinCommaOptions(options: readonly CommaOption[]): string {
  const escaped = (text: string): string => text.replace(/[\\,"]/g, '\\$&');
  return options.map(({ name, value }) => (value === undefined ? name : `${name}=${escaped(value)}`)).join();
}

function plain(value: string): string {
  const inner = /^"(.*)"$/s.exec(value)?.[1] ?? value;
  return inner.replace(/\\(.)/gs, '$1');
}

/** Gives the command the options of each `-o`, as if each stood by itself on the command line. */
export function applyCommaOptions(command: Command, texts: readonly string[]): void {
  const given = texts.flatMap(splitCommaOptions);
  if (given.some(({ name }) => name === READ_WRITE)) refuseReadOnly(command, given);
  for (const { name, value } of given) {
    if (name === READ_WRITE) continue;
    const option = find(command, USUAL_NAMES[name] ?? name);
    const key = option.attributeName();
    const isGiven = command.getOptionValueSource(key) === 'cli';
    const before = isGiven && isRepeatable(option) ? command.getOptionValue(key) : undefined;
    const parsed = parse(option, { name, value }, before);
    if (isGiven && !isRepeatable(option) && command.getOptionValue(key) !== parsed)
      throw new CliError(
        'usage',
        `${option.long} is given twice, with different values: leave out one of them`,
      );
    command.setOptionValueWithSource(key, parsed, 'cli');
  }
}

function refuseReadOnly(command: Command, given: readonly CommaOption[]): void {
  const isReadOnly =
    given.some(({ name }) => name === 'ro' || name === 'read-only') ||
    command.getOptionValueSource('readOnly') === 'cli';
  if (isReadOnly) throw new CliError('usage', 'rw and read-only exclude each other: leave out one of them');
}

function find(command: Command, name: string): Option {
  const options = command.options.filter((option) => !NOT_BY_COMMA.has(nameOf(option)));
  const option = options.find((each) => nameOf(each) === name);
  if (option !== undefined) return option;
  const [first = '', ...others] = options.map(nameOf);
  throw new CliError(
    'usage',
    `-o ${name}: unknown option: did you mean ${nearestWord(name, [first, ...others])}?`,
  );
}

function parse(option: Option, { name, value }: CommaOption, before: unknown): unknown {
  if (!option.required && !option.optional) {
    if (value !== undefined) throw new CliError('usage', `-o ${name}: the option takes no value`);
    return !option.negate;
  }
  if (value === undefined) throw new CliError('usage', `-o ${name}: the option needs a value: ${name}=…`);
  return takeText(option, value, (reason) => new CliError('usage', `-o ${name}=${value}: ${reason}`), before);
}
