/**
 * The meaning of a store's answer to a range or a part: whether the bytes come, why not, and whether the same may
 * succeed later.
 */

import { StorageError } from '../errors.ts';
import { md5OfEtag, unquoted } from '../etag.ts';
import { isGatewayFailure } from '../gateway-failure.ts';
import type { RangeAnswer } from '../storage-client.ts';
import { isRedirect, StoreRedirect } from './redirect.ts';

export interface RangeWanted {
  readonly offset: number;
  readonly length: number;
  readonly expectedEtag?: string | undefined;
  /** For messages, which name its host only: the rest of an address may be its signature. */
  readonly url?: URL;
}

/** The headers that matter, in lower case. */
export interface RangeHeaders {
  readonly contentRange: string | undefined;
  readonly contentLength: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly contentType?: string | undefined;
  readonly etag: string | undefined;
  readonly location: string | undefined;
  /** Of `ENCRYPTION_HEADER`. */
  readonly encryption?: string | undefined;
}

/** Says by what kind of key an object is encrypted. */
export const ENCRYPTION_HEADER = 'x-amz-server-side-encryption';

/**
 * Checks a store's answer to a range request (RFC 9110, section 14). Throws a `StorageError` unless exactly the
 * wanted bytes, of the wanted version, are about to come.
 */
export function checkRangeAnswer(wanted: RangeWanted, status: number, headers: RangeHeaders): RangeAnswer {
  const answer = status === 200 ? wholeObject(wanted, headers) : partOfObject(wanted, status, headers);
  if (wanted.expectedEtag !== undefined && answer.etag !== undefined && answer.etag !== wanted.expectedEtag) {
    throw new StorageError('changed', 'the object is another version now', { status });
  }
  return answer;
}

const RANGE_NOT_SATISFIABLE = 416;

/**
 * A store without ranges is of use only for an object that is wanted whole. Of an empty one no range can be had: some servers
 * say so (416), others answer the whole of it.
 */
function wholeObject(wanted: RangeWanted, headers: RangeHeaders): RangeAnswer {
  if (headers.contentLength !== undefined && Number(headers.contentLength) === 0) {
    throw new StorageError('changed', 'the object is empty', { status: RANGE_NOT_SATISFIABLE });
  }
  if (wanted.offset !== 0 || Number(headers.contentLength) !== wanted.length) {
    throw new StorageError('failed', notTheRange(wanted, headers), { status: 200 });
  }
  return answerOf(headers, wanted.length);
}

function notTheRange({ url }: RangeWanted, { contentType }: RangeHeaders): string {
  if (!contentType?.startsWith('text/html')) return 'the store answered a range with the whole object';
  return (
    `a page${url === undefined ? '' : ` of ${url.host}`} answered instead of the store: ` +
    'a proxy or the sign-in page of a network stands between'
  );
}

function partOfObject(wanted: RangeWanted, status: number, headers: RangeHeaders): RangeAnswer {
  if (status !== 206) {
    throw storageErrorOf(status, headers.location);
  }
  const { contentRange, contentLength, contentEncoding } = headers;
  if (contentRange === undefined) {
    throw new StorageError('failed', 'the store answered a range without Content-Range', { status });
  }
  const [, firstText, lastText, totalText] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(contentRange) ?? [];
  if (totalText === undefined) {
    throw new StorageError('failed', `unusable Content-Range ${contentRange}`, { status });
  }
  const [first, last] = [Number(firstText), Number(lastText)];
  const total = totalText === '*' ? undefined : Number(totalText);
  if (total !== undefined && total < wanted.offset + wanted.length) {
    throw new StorageError('changed', `the object is ${total} bytes now, too short for the range`, {
      status,
    });
  }
  const length = last - first + 1;
  if (first !== wanted.offset || length !== wanted.length) {
    throw new StorageError('failed', `asked for another range than ${contentRange}`, { status });
  }
  if (contentLength !== undefined && Number(contentLength) !== length) {
    const reason = `the store sends ${contentLength} bytes for the range ${contentRange}`;
    throw new StorageError('failed', reason, { status });
  }
  // A stored encoding belongs to the object: it has these bytes, and this length. An encoding of the transfer has others.
  if (contentLength === undefined && isEncoded(contentEncoding)) {
    throw new StorageError('failed', `the range was encoded on its way (${contentEncoding})`, { status });
  }
  return answerOf(headers, total);
}

function answerOf(
  { etag: given, encryption }: RangeHeaders,
  objectSizeBytes: number | undefined,
): RangeAnswer {
  const etag = unquoted(given);
  const md5 = md5OfEtag(etag, encryption);
  return { etag, objectSizeBytes, ...(md5 !== undefined && { md5 }) };
}

export function isEncoded(contentEncoding: string | undefined): boolean {
  return contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity';
}

/** The error, for the holder of the link, of a status other than success. */
export function storageErrorOf(status: number, location: string | undefined): StorageError {
  if (isRedirect(status)) return new StoreRedirect(status, location);
  const reason = `the store answered with status ${status}`;
  switch (status) {
    case 401:
    case 403:
      return new StorageError('refused', reason, { status });
    case 404:
    case 410:
      return new StorageError('missing', reason, { status });
    case 412:
    case 416:
      return new StorageError('changed', reason, { status });
    case 507:
      return new StorageError('failed', 'the store has no space left', { status });
    default:
      return new StorageError('failed', reason, { status });
  }
}

/** Statuses of a store that pass, as those of a gateway do: overload, a restart. */
const PASSING = new Set([408, 425, 429, 500, 503]);

/** A success that is none: without the range, or of another one. */
export function isStrange(error: StorageError): boolean {
  return error.kind === 'failed' && error.status !== undefined && error.status < 300;
}

/** Whether the same request may succeed a little later. Only a full disk (507) is a 5xx that does not pass soon. */
export function mayPass(error: StorageError): boolean {
  if (error.status === undefined) return error.kind === 'failed';
  return PASSING.has(error.status) || isGatewayFailure(error.status);
}
