import { forEachAtOnce } from '../../lib/for-each-at-once.ts';
import type { CallOptions, ListOptions } from '../call-options.ts';
import { ApiError, TransportError } from '../errors.ts';
import type { EntryRecord, FileRecord, Page } from '../model.ts';
import { type Listed, parseEntry, parseFile, parseListed } from '../parse/file.ts';
import { UnexpectedShape } from '../parse/wire.ts';
import type { Caller, CallSpec } from '../transport/caller.ts';

/** Details asked for at once for one page; many pages may be asked for side by side. */
const DETAILS_AT_ONCE = 4;

/** A page whose entries all tell their size. One that cannot be used is left out; one that is gone by now is dropped. */
export async function withSizes(
  call: Caller,
  page: Page<Listed>,
  options?: ListOptions,
): Promise<Page<EntryRecord>> {
  const { items } = page;
  if (items.every(isSized)) return { ...page, items };
  const found: (EntryRecord | undefined)[] = [];
  let { leftOut = 0 } = page;
  const lookUp = async ([index, item]: [number, Listed]): Promise<void> => {
    try {
      found[index] = await withSize(call, item, options);
    } catch (error) {
      if (!options?.onUnusable || !isUnusable(error)) throw error;
      options.onUnusable(error.message);
      leftOut += 1;
    }
  };
  await forEachAtOnce(items.entries(), DETAILS_AT_ONCE, lookUp);
  return { ...page, items: found.filter((entry) => entry !== undefined), leftOut };
}

/** The entry, from its details unless its size is told; undefined when it is gone by now. */
export async function withSize(
  call: Caller,
  listed: Listed,
  options?: CallOptions,
): Promise<EntryRecord | undefined> {
  if (isSized(listed)) return listed;
  try {
    return await call({ route: 'GET /files/{id}', path: { id: listed.id }, parse: parseEntry }, options);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Makes a call that answers a file, which is taken from its details when the answer does not tell its size. */
export async function callForFile(
  call: Caller,
  spec: Omit<CallSpec<FileRecord>, 'parse'>,
  options?: CallOptions,
): Promise<FileRecord> {
  const answer = await call({ ...spec, parse: parseListed }, options);
  if (answer.kind === 'file') return answer;
  return call({ route: 'GET /files/{id}', path: { id: answer.id }, parse: parseFile }, options);
}

function isSized(listed: Listed): listed is EntryRecord {
  return listed.kind !== 'unsized';
}

function isUnusable(error: unknown): error is TransportError {
  return error instanceof TransportError && error.cause instanceof UnexpectedShape;
}
