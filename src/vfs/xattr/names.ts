/**
 * Names of extended attributes.
 *
 *   user.<key>            metadata pair <key>
 *   user.svc.<field>      what the platform keeps apart from metadata, and what we tell about a path
 *   user.svc.metadata     all pairs as one JSON object; setting it replaces them all
 *   user.svc.metadata.<n> page n of that; setting it adds its pairs
 *
 * A key that itself begins with `svc.` would read as a field: it is written as `escapeKey` has it.
 */
import { escapeKey, unescapeKey } from '../../metadata/key-names.ts';

export type XattrName =
  | { readonly kind: 'pair'; readonly key: string }
  | { readonly kind: 'field'; readonly field: string }
  | { readonly kind: 'metadata'; readonly page: number | undefined }
  | { readonly kind: 'tags' }
  /** Another namespace (security., system., trusted.) or no name at all. */
  | { readonly kind: 'foreign' };

const USER = 'user.';
const FIELDS = 'user.svc.';

export const METADATA = `${FIELDS}metadata`;
export const TAGS = `${FIELDS}tags`;

export function parseXattrName(name: string): XattrName {
  if (name === TAGS) return { kind: 'tags' };
  if (name === METADATA) return { kind: 'metadata', page: undefined };
  const page = /^user\.svc\.metadata\.(0|[1-9]\d{0,5})$/.exec(name)?.[1];
  if (page !== undefined) return { kind: 'metadata', page: Number(page) };
  if (name.startsWith(FIELDS)) return { kind: 'field', field: name.slice(FIELDS.length) };
  if (!name.startsWith(USER) || name === USER) return { kind: 'foreign' };
  return { kind: 'pair', key: unescapeKey(name.slice(USER.length)) };
}

export function pairName(key: string): string {
  return USER + escapeKey(key);
}

export function metadataPageName(page: number): string {
  return `${METADATA}.${page}`;
}
