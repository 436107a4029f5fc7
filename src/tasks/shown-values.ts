import { exactText, printExactly } from '../lib/exact-json.ts';
import { isObject } from './port-type.ts';

/** A value of a task as a directory shows it: a file as a link, a list or record with files as a directory, all else as text. */
export type ShownValue =
  | { readonly kind: 'link'; readonly file: string; readonly name: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'directory'; readonly values: ReadonlyMap<string, ShownValue> };

/** By port. A port that is unset, or has produced nothing, is not shown. */
export function shownValues(values: Readonly<Record<string, unknown>>): ReadonlyMap<string, ShownValue> {
  return mapOf(Object.entries(values));
}

/** Ids of all files that are shown. */
export function filesOf(values: ReadonlyMap<string, ShownValue>): readonly string[] {
  return [...values.values()].flatMap((value) => {
    if (value.kind === 'link') return [value.file];
    return value.kind === 'directory' ? filesOf(value.values) : [];
  });
}

function mapOf(entries: readonly (readonly [string, unknown])[]): ReadonlyMap<string, ShownValue> {
  return new Map(
    entries.flatMap(([name, value]) => {
      const shown = shownValue(value);
      return shown === undefined ? [] : [[name, shown] as const];
    }),
  );
}

function shownValue(value: unknown): ShownValue | undefined {
  if (value === null || value === undefined) return undefined;
  if (isFile(value)) return { kind: 'link', file: value.path, name: nameOf(value) };
  if (!hasFiles(value)) return { kind: 'text', text: `${exactText(value) ?? printExactly(value)}\n` };
  if (!Array.isArray(value)) return { kind: 'directory', values: mapOf(Object.entries(value as object)) };
  const items = value.map(
    (item, index) => [isFile(item) ? `${index}-${nameOf(item)}` : `${index}`, item] as const,
  );
  return { kind: 'directory', values: mapOf(items) };
}

function hasFiles(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isFile(value) || Object.values(value).some(hasFiles);
}

function isFile(value: unknown): value is { readonly path: string; readonly name?: unknown } {
  return (
    isObject(value) &&
    (value['class'] === 'File' || value['class'] === 'Directory') &&
    typeof value['path'] === 'string'
  );
}

function nameOf({ path, name }: { readonly path: string; readonly name?: unknown }): string {
  return typeof name === 'string' && name !== '' ? name : path;
}
