import { refuseTable } from '../table-error.ts';

/** The text of a table, without a byte order mark. Of bytes that are no text, the row is told. */
export function textOf(bytes: Uint8Array): string {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    refuseTable('the text is UTF-16; save it as UTF-8');
  const text = decoded(bytes);
  if (text === undefined) refuseTable('the text is not UTF-8; save it as UTF-8', { row: badRow(bytes) });
  const nul = text.indexOf('\0');
  if (nul >= 0) refuseTable('there is a NUL, which the platform does not keep', { row: rowAt(text, nul) });
  return text;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function badRow(bytes: Uint8Array): number {
  let start = 0;
  for (let row = 1; ; row++) {
    const end = bytes.indexOf(0x0a, start);
    const line = bytes.subarray(start, end < 0 ? undefined : end);
    if (end < 0 || decoded(line) === undefined) return row;
    start = end + 1;
  }
}

function rowAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
