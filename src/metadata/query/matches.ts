import type { FileRecord } from '../../api/model.ts';
import { isReservedKey } from '../own-pairs.ts';
import { decode, type Subject, type Term } from './term.ts';

/** A file, and its path from the folder that is searched. */
export interface Candidate {
  readonly file: FileRecord;
  readonly path: string;
}

/** Whether a file meets a condition. */
export function matches(candidate: Candidate, term: Term): boolean {
  const has = valuesOf(candidate, term.subject);
  if (!('values' in term)) return has.length > 0 === (term.test === 'present');
  const { test, values } = term;
  const isSize = term.subject.kind === 'field' && term.subject.field === 'size';
  const wanted = isSize ? values.map(bytesOf) : values;
  const isAny = (fits: (value: string, given: string) => boolean): boolean =>
    has.some((value) => wanted.some((given) => fits(value, given)));
  switch (test) {
    case '=':
      return isAny((value, given) => value === decode(given));
    case '!=':
      return !isAny((value, given) => value === decode(given));
    case '~':
      return isAny((value, given) => globOf(given).test(value));
    default:
      return isAny((value, given) => {
        const order = compared(value, decode(given));
        return order !== undefined && (test.startsWith('<') ? order < 0 : order > 0)
          ? true
          : order === 0 && test.endsWith('=');
      });
  }
}

/** What a file has there: several tags, at most one of the others. */
export function valuesOf({ file, path }: Candidate, subject: Subject): readonly string[] {
  if (subject.kind === 'key') {
    const { key } = subject;
    const value = Object.hasOwn(file.metadata, key) && !isReservedKey(key) ? file.metadata[key] : undefined;
    return value === undefined ? [] : [value];
  }
  switch (subject.field) {
    case 'name':
      return [file.name];
    case 'path':
      return [path];
    case 'size':
      return [String(file.sizeBytes)];
    case 'type':
      return [file.storage.kind === 'volume' ? 'alias' : 'file'];
    case 'tag':
      return file.tags;
    case 'created':
      return [new Date(file.createdMs).toISOString()];
    case 'task':
      return file.originTask === undefined ? [] : [file.originTask];
  }
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const ISO_DATE = /^\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?$/;

/** Undefined unless both are decimal numbers, or both are dates: as texts, 9 would come after 10. */
function compared(one: string, other: string): number | undefined {
  if (DECIMAL.test(one) && DECIMAL.test(other)) return Number(one) - Number(other);
  if (!ISO_DATE.test(one) || !ISO_DATE.test(other)) return undefined;
  return Date.parse(one) - Date.parse(other);
}

const UNITS: Readonly<Record<string, number>> = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** `1.5G` in bytes; what is no size stays. */
function bytesOf(text: string): string {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([kmgt])i?b?$/i.exec(text) ?? [];
  return number === undefined ? text : String(Math.round(Number(number) * (UNITS[unit.toLowerCase()] ?? 1)));
}

/** `*`, `?` and `[…]`, over slashes as well, as find(1) has it for paths. */
export function globOf(glob: string): RegExp {
  const source = glob.replace(/%[0-7][0-9a-f]|\[!?[^\]]+\]|[\s\S]/giu, (part) => {
    if (part === '*') return '[\\s\\S]*';
    if (part === '?') return '[\\s\\S]';
    if (part.length > 2 && part.startsWith('['))
      return `[${part
        .slice(1, -1)
        .replace(/^!/, '^')
        .replace(/[\\[\]]/g, '\\$&')}]`;
    return escaped(decode(part));
  });
  return new RegExp(`^${source}$`, 'u');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (character) =>
    character === '-' ? '\\x2d' : `\\${character}`,
  );
}
