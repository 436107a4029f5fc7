/** Options of a command as `svcfs config show` and `svcfs mount --verbose` list them. */
import type { Command, Option } from 'commander';
import type { Setting } from '../../config/file/settings.ts';
import { configuredValue, nameOf } from './option-value.ts';
import { type Source, sourceOf } from './sources.ts';

interface Row {
  readonly option: string;
  readonly value: unknown;
  readonly source: string;
}

/** Columns that a value takes before those that follow it move right. */
const USUAL_VALUE = 24;

export function rowsOf(command: Command, settings: ReadonlyMap<string, Setting>): readonly Row[] {
  return command.options.map((option) => {
    const source = sourceOf(command, option, settings);
    return {
      option: nameOf(option),
      value: withoutPassword(shownValue(command, option, source)),
      source: describeSource(source),
    };
  });
}

export function describeRows(rows: readonly Row[]): readonly string[] {
  const texts = rows.map((row) => ({ ...row, value: describeValue(row.value) }));
  const ofOption = Math.max(...texts.map(({ option }) => option.length));
  const ofValue = Math.min(USUAL_VALUE, Math.max(...texts.map(({ value }) => value.length)));
  return texts.map(
    ({ option, value, source }) => `${option.padEnd(ofOption)}  ${value.padEnd(ofValue)}  ${source}`,
  );
}

/** Addresses of proxies and databases may hold one. */
function withoutPassword(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/\s]*:[^/\s]*@/i, '$1[hidden]@');
}

function describeValue(value: unknown): string {
  if (value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return String(value);
}

function describeSource(source: Source): string {
  if (source.kind === 'variable') return source.name;
  if (source.kind === 'file') return `${source.setting.path} [${source.setting.table}]`;
  return source.kind;
}

/** As a person would write it. A value of a file is read, so that a wrong one is an error here as well. */
function shownValue(command: Command, option: Option, source: Source): unknown {
  const isFlag = !option.required && !option.optional;
  if (source.kind === 'command line') return command.getOptionValue(option.attributeName());
  if (source.kind === 'file') {
    configuredValue(option, source.setting);
    return source.setting.value;
  }
  if (source.kind === 'variable') {
    const text = process.env[source.name];
    return isFlag ? option.envVar !== undefined : text;
  }
  return isFlag ? false : (option.defaultValueDescription ?? option.defaultValue);
}
