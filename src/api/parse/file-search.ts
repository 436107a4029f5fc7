import type { FileSearch, FoundFiles } from '../model.ts';
import { parseEntry } from './file.ts';
import { arrayAt, asObject, optionalTextAt } from './wire.ts';

/** In the language of `POST /files/search` (`contract/file.ts`). */
export function searchQuery({ project, equals }: FileSearch): string {
  const conditions = ['type = "FILE"', ...equals.map(({ field, value }) => `${field} = ${quoted(value)}`)];
  return `IN ${quoted(project)} WHERE ${conditions.join(' AND ')}`;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

export function parseFound(body: unknown): FoundFiles {
  const object = asObject(body, 'search');
  const files = arrayAt(object, 'result_set').map(parseEntry);
  return {
    files: files.filter((each) => each.kind === 'file'),
    continuation: optionalTextAt(object, 'cont_token') || undefined,
  };
}
