import { basename } from 'node:path';

/** Of a name, in bytes (NAME_MAX of Linux). */
const LONGEST_NAME = 255;

/** The file's own name, cut to what a name may be, and what tells those of one name apart. */
export function keptName(
  { label, id }: { readonly label: string; readonly id: string },
  ending = '',
): string {
  const suffix = `.${id.slice(0, 8)}${ending}`;
  const bytes = Buffer.from(basename(label)).subarray(0, LONGEST_NAME - suffix.length);
  // As of a stream: a character that the cut goes through is left out.
  return new TextDecoder().decode(bytes, { stream: true }) + suffix;
}
