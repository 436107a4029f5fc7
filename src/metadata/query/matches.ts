import type { FileRecord } from '../../api/model.ts';
import { isReservedKey } from '../own-pairs.ts';
import { bytesOf, compared } from './quantity.ts';
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

/** The values of a file there: several tags, at most one of the others. */
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
