/**
 * All metadata pairs of a file as one JSON object, and the way round. Metadata that do not fit in an attribute (64 KiB)
 * are read by pages, each a JSON object of its own.
 */
import { FsError } from '../errors/fs-error.ts';
import type { Pairs } from './limits.ts';
import { requireKey, requireTags, requireValue } from './limits.ts';

/** XATTR_SIZE_MAX of Linux. */
const VALUE_MAX = 65_536;

/** The pages of the object; one when all fits. */
export function metadataPages(pairs: Pairs): readonly string[] {
  const pages: string[] = [];
  let members: string[] = [];
  // Braces.
  let bytes = 2;
  for (const [key, value] of Object.entries(pairs)) {
    const member = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
    const length = Buffer.byteLength(member) + 1;
    if (bytes + length > VALUE_MAX) {
      pages.push(`{${members.join(',')}}`);
      members = [];
      bytes = 2;
    }
    members.push(member);
    bytes += length;
  }
  return [...pages, `{${members.join(',')}}`];
}

/** From a JSON object of strings; EINVAL, and what the limits say of each pair. */
export function parseMetadata(text: string): Pairs {
  const pairs = parseJson(text);
  if (typeof pairs !== 'object' || pairs === null || Array.isArray(pairs)) {
    throw new FsError('EINVAL', 'metadata is a JSON object of strings');
  }
  for (const [key, value] of Object.entries(pairs)) {
    if (typeof value !== 'string') throw new FsError('EINVAL', `the value of ${key} is not a string`);
    requireKey(key);
    requireValue(key, value);
  }
  return pairs as Pairs;
}

/** From a JSON array of strings; EINVAL, and what the limits say of tags. */
export function parseTags(text: string): readonly string[] {
  const tags = parseJson(text);
  if (!Array.isArray(tags) || !tags.every((tag): tag is string => typeof tag === 'string')) {
    throw new FsError('EINVAL', 'tags are a JSON array of strings, such as ["a","b"]');
  }
  requireTags(tags);
  return tags;
}

/** From a JSON object: settings of a project, of which those that are given change; EINVAL. */
export function parseSettings(text: string): Readonly<Record<string, unknown>> {
  const settings = parseJson(text);
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw new FsError('EINVAL', 'settings are a JSON object, such as {"locked":true}');
  return settings as Readonly<Record<string, unknown>>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FsError('EINVAL', 'the value is not JSON', { cause: error });
  }
}
