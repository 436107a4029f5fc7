/**
 * Readers of wire JSON. They bear what services of this kind were seen to do: numbers as text, keys left out or
 * null, times with a fraction or as `{value}`; they reject what makes a resource unusable.
 */

/** The answer is not what the API document says, beyond what can be borne. */
export class UnexpectedShape extends Error {
  override readonly name = 'UnexpectedShape';
}

/** Shared by all records that have none: most files of a large folder. */
const NO_PAIRS: Readonly<Record<string, string>> = Object.freeze({});
const NO_TEXTS: readonly string[] = Object.freeze([]);

export type WireObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object; anything else is an error. */
export function asObject(value: unknown, what: string): WireObject {
  if (!isObject(value)) {
    throw new UnexpectedShape(`the answer has no ${what}`);
  }
  return value;
}

/** A nested object; empty when it is absent. */
export function objectAt(object: WireObject, key: string): WireObject {
  const value = object[key];
  return isObject(value) ? value : {};
}

/** An array; empty when it is absent. */
export function arrayAt(object: WireObject, key: string): readonly unknown[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

export function textAt(object: WireObject, key: string): string {
  const value = optionalTextAt(object, key);
  if (value === undefined) {
    throw new UnexpectedShape(`the answer has no ${key}`);
  }
  return value;
}

/** Ids may come as numbers. */
export function optionalTextAt(object: WireObject, key: string): string | undefined {
  const value = object[key];
  if (typeof value === 'number') {
    return String(value);
  }
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function optionalNumberAt(object: WireObject, key: string): number | undefined {
  const value = object[key];
  if (value === undefined || value === null || value === '') {
    return undefined;
  }
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

export function requiredNumberAt(object: WireObject, key: string): number {
  const value = optionalNumberAt(object, key);
  if (value === undefined) {
    throw new UnexpectedShape(`the answer has no ${key}`);
  }
  return value;
}

/** A whole number of bytes. Any other one tells nothing. */
export function optionalSizeAt(object: WireObject, key: string): number | undefined {
  const value = optionalNumberAt(object, key);
  return Number.isSafeInteger(value) && value !== undefined && value >= 0 ? value : undefined;
}

export function requiredSizeAt(object: WireObject, key: string): number {
  const value = optionalSizeAt(object, key);
  if (value === undefined) {
    throw new UnexpectedShape(`the answer has no ${key}`);
  }
  return value;
}

/**
 * An address in full, of the web: those of stores (`s3://`) have no host to connect to, nor an origin. An answer that
 * came over TLS leads to no address without it: anyone on the way could read the bytes, and change them.
 */
export function urlAt(
  object: WireObject,
  key: string,
  { overTls = false }: { readonly overTls?: boolean },
): string {
  const value = textAt(object, key);
  if (!isWebAddress(value)) {
    throw new UnexpectedShape(`the answer has no address as ${key}`);
  }
  if (overTls && !isSecure(value)) {
    throw new UnexpectedShape(`the answer of an https service has an http address as ${key}`);
  }
  return value;
}

export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

export function isSecure(url: string): boolean {
  return new URL(url).protocol === 'https:';
}

/** Booleans may come as text. */
export function booleanAt(object: WireObject, key: string): boolean {
  const value = object[key];
  return typeof value === 'string' ? value.toLowerCase() === 'true' : value === true;
}

/** Milliseconds since the epoch; a time without a zone is UTC. */
export function optionalTimeAt(object: WireObject, key: string): number | undefined {
  const value = object[key];
  const text = isObject(value) ? value['value'] : value;
  if (typeof text === 'number') {
    return text;
  }
  if (typeof text !== 'string') {
    return undefined;
  }
  const zoned = /([zZ]|[+-]\d\d:?\d\d|GMT)$/.test(text) ? text : `${text}Z`;
  const ms = Date.parse(zoned);
  return Number.isNaN(ms) ? undefined : ms;
}

export function textsAt(object: WireObject, key: string): readonly string[] {
  return textsOf(object[key]);
}

/** String pairs; null values are no pairs (API document, Limits). */
export function pairsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isObject(value) ? value : {});
  if (entries.length === 0) return NO_PAIRS;
  return Object.fromEntries(
    entries
      .filter(([, each]) => each !== null && each !== undefined)
      .map(([key, each]) => [key, String(each)]),
  );
}

/** A bare array of strings. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) && value.length > 0
    ? value.filter((each) => typeof each === 'string')
    : NO_TEXTS;
}
