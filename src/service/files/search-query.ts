/** The language of `POST /files/search`: `IN "o/p", … [WHERE field = "value" AND …]`; words in any case. */
import { METADATA_FILTERS_MAX } from '../../contract/limits.ts';
import { checkTerms } from '../http/search-terms.ts';
import { ServiceError } from '../http/service-error.ts';
import type { FileFilters } from './tables/file-listing.ts';
import type { FileSearch } from './tables/file-search-table.ts';

const TOKEN = /\s*(?:"((?:[^"\\]|\\["\\])*)"|([A-Za-z_][\w.-]*)|([=,]))\s*/y;
const METADATA_PREFIX = 'metadata.';

type Token = { readonly text: string } | { readonly word: string };

/** @throws ServiceError 90000 */
export function parseSearch(query: string): FileSearch {
  const tokens = tokensOf(query);
  let at = 0;
  const word = (): string => {
    const token = tokens[at++];
    return token !== undefined && 'word' in token ? token.word : unreadable();
  };
  const text = (): string => {
    const token = tokens[at++];
    return token !== undefined && 'text' in token ? token.text : unreadable();
  };
  const expect = (wanted: string): void => {
    if (word().toUpperCase() !== wanted) unreadable();
  };
  const separated = <Item>(separator: string, item: () => Item): Item[] => {
    const items = [item()];
    while (at < tokens.length && isWord(tokens[at], separator)) {
      at += 1;
      items.push(item());
    }
    return items;
  };
  expect('IN');
  const projectIds = checkTerms(separated(',', text), 'projects');
  if (at === tokens.length) return { projectIds };
  expect('WHERE');
  const conditions = separated('AND', () => {
    const field = word();
    expect('=');
    return { field, value: text() };
  });
  if (at < tokens.length) unreadable();
  return { projectIds, ...filtersOf(conditions) };
}

function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < query.length) {
    const [, text, word, sign] = TOKEN.exec(query) ?? unreadable();
    tokens.push(
      text === undefined ? { word: word ?? sign ?? '' } : { text: text.replaceAll(/\\(.)/g, '$1') },
    );
  }
  return tokens;
}

function isWord(token: Token | undefined, wanted: string): boolean {
  return token !== undefined && 'word' in token && token.word.toUpperCase() === wanted;
}

/** Each field once; metadata once for each key. */
function filtersOf(conditions: readonly { readonly field: string; readonly value: string }[]): FileFilters & {
  readonly kind?: 'file' | 'folder';
} {
  if (new Set(conditions.map(({ field }) => field)).size < conditions.length) unreadable();
  const metadata = conditions
    .filter(({ field }) => field.startsWith(METADATA_PREFIX))
    .map(({ field, value }) => ({ key: field.slice(METADATA_PREFIX.length), values: [value] }));
  if (metadata.length > METADATA_FILTERS_MAX) unreadable();
  const others = conditions.filter(({ field }) => !field.startsWith(METADATA_PREFIX));
  return Object.assign({ metadata }, ...others.map(({ field, value }) => filterOf(field, value)));
}

function filterOf(field: string, value: string): object {
  switch (field.toLowerCase()) {
    case 'type':
      return { kind: kindOf(value) };
    case 'name':
      return { names: [value] };
    case 'tag':
      return { tags: [value] };
    case 'origin.task':
      return { originTasks: [value] };
    case 'dataset':
      return { datasets: [value] };
    default:
      return unreadable();
  }
}

function kindOf(value: string): 'file' | 'folder' {
  const kind = value.toLowerCase();
  return kind === 'file' || kind === 'folder' ? kind : unreadable();
}

function unreadable(): never {
  throw new ServiceError(90000, 'A query has the form: IN "owner/project" WHERE name = "value" AND …');
}
