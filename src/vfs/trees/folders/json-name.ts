import { createHash } from 'node:crypto';

/** NAME_MAX of Linux. */
const NAME_MAX = 255;
const SUFFIX = '.json';
/** As of names that are too long for Linux: `%~` and 128 bits of a digest. */
const CUT = /%~[0-9a-f]{32}$/;

/** `NAME.json`; a name for which that is too long is cut, and ends in a digest in place of the suffix. */
export function entryJsonName(name: string): string {
  return Buffer.byteLength(name + SUFFIX) <= NAME_MAX ? name + SUFFIX : cut(name);
}

/** Tells the name that was cut so; undefined: none is. */
export function isJsonNameOf(shown: string): ((name: string) => boolean) | undefined {
  return CUT.test(shown) ? (name) => entryJsonName(name) === shown : undefined;
}

function cut(name: string): string {
  const tail = `%~${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  let head = '';
  let bytes = tail.length;
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > NAME_MAX) break;
    head += character;
  }
  return head + tail;
}
