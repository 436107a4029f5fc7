/**
 * The words in which services of this kind differ: `svc` are those of the API document, `sbg` those of the platform.
 * Paths and shapes are the same (undocumented-calls, section 4).
 *
 * A translation exchanges the two words of a pair. So it loses nothing, is its own inverse, and serves the service
 * and its clients alike. It looks only where the API itself has words: names, tags, inputs of tasks and all else that
 * belongs to a caller stay as they are.
 */
import { ADVANCE_ACCESS_HEADER, AUTH_TOKEN_HEADER } from './headers.ts';

export const DIALECTS = ['svc', 'sbg'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** In lower case, as Node gives the names of incoming headers. */
export const DIALECT_HEADERS = {
  svc: { token: AUTH_TOKEN_HEADER.toLowerCase(), advance: ADVANCE_ACCESS_HEADER.toLowerCase() },
  sbg: { token: 'x-sbg-auth-token', advance: 'x-sbg-advance-access' },
} as const satisfies Record<Dialect, { readonly token: string; readonly advance: string }>;

const FIELDS = exchange([
  ['cloud_canned_acl', 'aws_canned_acl'],
  ['cloud_storage_class', 'aws_storage_class'],
  ['sse_cloud_kms_key_id', 'sse_aws_kms_key_id'],
]);
const METADATA_KEYS = exchange([['svc_public_files_category', 'sbg_public_files_category']]);
const ALGORITHMS = exchange([['cloud:kms', 'aws:kms']]);
const LOCATION_PREFIXES = exchange([['cloud:', 'aws:']]);
/** Of keys in an app's document. */
const KEY_PREFIXES = exchange([['svc:', 'sbg:']]);
const NAMESPACES = exchange([['svc', 'sbg']]);
const HEADER_PREFIXES = exchange([['X-SVC-', 'X-SBG-']]);

type Words = ReadonlyMap<string, string>;

function exchange(pairs: readonly (readonly [string, string])[]): Words {
  return new Map(pairs.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]));
}

/** The kind of a value in a body, as far as its words differ. */
export type Place =
  | 'object'
  | 'properties'
  | 'algorithm'
  | 'metadata'
  | 'settings'
  | 'location'
  | 'spending'
  | 'batch'
  | 'field path'
  | 'document'
  | 'namespaces'
  | 'message';

/** The kinds of the fields of an object; a list has the kind of its items. */
const INSIDE: Partial<Record<Place, Readonly<Record<string, Place>>>> = {
  object: {
    items: 'object',
    resource: 'object',
    result: 'object',
    result_set: 'object',
    error: 'object',
    message: 'message',
    service: 'object',
    storage: 'object',
    properties: 'properties',
    metadata: 'metadata',
    settings: 'settings',
    hosted_on_locations: 'location',
    batch_by: 'batch',
    raw: 'document',
  },
  properties: { sse_algorithm: 'algorithm' },
  settings: { location: 'location' },
  spending: { items: 'spending', location: 'location' },
  batch: { criteria: 'field path' },
};

/** The words that keys are exchanged by. */
const KEYS: Partial<Record<Place, Words>> = {
  properties: FIELDS,
  metadata: METADATA_KEYS,
  namespaces: NAMESPACES,
};

/** A value of a body in the words of the other dialect. */
export function exchangeWords(value: unknown, place: Place): unknown {
  if (Array.isArray(value)) return value.map((item) => exchangeWords(item, place));
  if (typeof value === 'string') return exchangeText(value, place);
  if (typeof value !== 'object' || value === null) return value;
  if (place === 'document') return exchangeDocument(value);
  const fields = INSIDE[place] ?? {};
  const words = KEYS[place];
  return mapObject(value, (key, inner) => {
    const within = Object.hasOwn(fields, key) ? fields[key] : undefined;
    return [words?.get(key) ?? key, within === undefined ? inner : exchangeWords(inner, within)];
  });
}

function exchangeText(text: string, place: Place): string {
  switch (place) {
    case 'algorithm':
      return ALGORITHMS.get(text) ?? text;
    case 'location':
      return withPrefix(text, LOCATION_PREFIXES);
    case 'field path':
      return exchangeFieldPath(text);
    case 'message':
      return exchangeMessage(text);
    default:
      return text;
  }
}

/** Every key of a document, at any depth: the platform's keys stand beside inputs, steps and hints too. */
function exchangeDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(exchangeDocument);
  if (typeof value !== 'object' || value === null) return value;
  return mapObject(value, (key, inner) => [
    withPrefix(key, KEY_PREFIXES),
    key === '$namespaces' ? exchangeWords(inner, 'namespaces') : exchangeDocument(inner),
  ]);
}

/** `metadata.sample`, `!properties.aws_canned_acl`, `raw.sbg:id`, as in the query parameter `fields`. */
export function exchangeFieldPath(path: string): string {
  const [, drop = '', rest = ''] = /^(\s*!?)(.*)$/s.exec(path) ?? [];
  const key = /^metadata\.(.*)$/s.exec(rest)?.[1];
  if (key !== undefined) return `${drop}metadata.${METADATA_KEYS.get(key.trim()) ?? key}`;
  return drop + rest.replace(/[^.]+/g, (word) => withPrefix(FIELDS.get(word.trim()) ?? word, KEY_PREFIXES));
}

/** The words of a query: paths in `fields`, and keys such as `metadata.sample`. */
export function exchangeQuery<T>(query: Readonly<Record<string, T>>): Record<string, T | string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      if (name.startsWith('metadata.')) return [exchangeFieldPath(name), value];
      if (name !== 'fields' || typeof value !== 'string') return [name, value];
      return [name, value.split(',').map(exchangeFieldPath).join(',')];
    }),
  );
}

const IN_MESSAGES: Words = new Map([...FIELDS, ...METADATA_KEYS, ...ALGORITHMS, ...HEADER_PREFIXES]);
const WORD_IN_MESSAGE = new RegExp(`\\b(?:${[...IN_MESSAGES.keys()].join('|')})`, 'g');

function exchangeMessage(text: string): string {
  return text.replace(WORD_IN_MESSAGE, (word) => IN_MESSAGES.get(word) ?? word);
}

/** The kind of the whole body of a call, by its path below `/v2`. */
export function placeOfBody(path: string): Place {
  if (/^\/files\/[^/]+\/metadata\/?$/.test(path)) return 'metadata';
  if (/^\/apps\/.*\/raw\/?$/.test(path)) return 'document';
  if (/\/breakdown\/storage\/?$/.test(path)) return 'spending';
  return 'object';
}

function withPrefix(text: string, prefixes: Words): string {
  for (const [prefix, other] of prefixes) {
    if (text.startsWith(prefix)) return other + text.slice(prefix.length);
  }
  return text;
}

function mapObject(value: object, change: (key: string, inner: unknown) => [string, unknown]): object {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => change(key, inner)));
}
