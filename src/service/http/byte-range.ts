import type { ByteRange } from '../storage/objects/byte-source.ts';

/** The bytes that a Range header asks for, of a content of so many bytes: all, a part, or bytes beyond the end. */
export type RangeAnswer =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly range: ByteRange }
  | { readonly kind: 'unsatisfiable' };

/**
 * `bytes=a-b`, `bytes=a-` and `bytes=-n`; an end past the content is clamped. Any other form, several ranges among them,
 * is ignored as RFC 9110 (14.2) allows.
 */
export function answerRange(header: string | undefined, sizeBytes: number): RangeAnswer {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '');
  const [, from = '', to = ''] = match ?? [];
  if (match === null || (from === '' && to === '')) return { kind: 'whole' };
  if (from !== '' && to !== '' && Number(to) < Number(from)) return { kind: 'whole' };
  const first = from === '' ? Math.max(sizeBytes - Number(to), 0) : Number(from);
  const last = from === '' || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  return first > last ? { kind: 'unsatisfiable' } : { kind: 'part', range: { first, last } };
}
