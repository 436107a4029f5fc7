import type { BulkResult, Failure } from '../model.ts';
import { arrayAt, asObject, isObject, optionalNumberAt, optionalTextAt } from './wire.ts';

/** Of the platform's codes, but for 0 (maintenance); some gateways write the HTTP status for a code. */
const SMALLEST_CODE = 1000;

/** The platform's own code in an error object; undefined when it has none. */
export function errorCode(body: unknown): number | undefined {
  const code = isObject(body) ? optionalNumberAt(body, 'code') : undefined;
  return code === 0 || (code ?? 0) >= SMALLEST_CODE ? code : undefined;
}

/** The standard error object; gateways were seen to leave keys out and to write words for numbers. */
export function parseFailure(body: unknown, httpStatus: number): Failure {
  const object = isObject(body) ? body : {};
  return {
    status: optionalNumberAt(object, 'status') ?? httpStatus,
    code: errorCode(object) ?? 0,
    message: optionalTextAt(object, 'message') ?? `HTTP status ${httpStatus}`,
  };
}

/** The entries of a bulk answer: `{"items":[{"resource":…} | {"error":…}]}`. */
export function parseBulk<T>(body: unknown, parse: (resource: unknown) => T): readonly BulkResult<T>[] {
  return parseBulkItems(arrayAt(asObject(body, 'bulk answer'), 'items'), parse);
}

export function parseBulkItems<T>(
  items: readonly unknown[],
  parse: (resource: unknown) => T,
): readonly BulkResult<T>[] {
  return items.map((item) => {
    const { error, resource } = asObject(item, 'bulk entry');
    return isObject(error)
      ? { ok: false, failure: parseFailure(error, 500) }
      : { ok: true, value: parse(resource) };
  });
}
