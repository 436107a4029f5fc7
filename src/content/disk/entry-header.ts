import type { FileHandle } from 'node:fs/promises';
import { HEADER_BYTES } from './block-io.ts';

/**
 * The start of an index: a line of JSON, filled up with blanks. It has no checksum: what it says is compared with what
 * is expected, or is the name of a file that would not be there.
 */
export interface EntryHeader {
  readonly name: string;
  readonly sizeBytes: number;
  /** Of the data file. */
  readonly birth: string;
  /**
   * The run of the machine in which its blocks were written, or found to be as they were written. Undefined in caches of
   * before that was told.
   */
  readonly bootId?: string | undefined;
}

export function encodeHeader(header: EntryHeader): Buffer {
  return Buffer.from(`${JSON.stringify(header)}\n`.padEnd(HEADER_BYTES));
}

export async function writeHeader(index: FileHandle, header: EntryHeader): Promise<void> {
  await index.write(encodeHeader(header), 0, HEADER_BYTES, 0);
}

/** Undefined when it is damaged. */
export async function readHeader(index: FileHandle): Promise<EntryHeader | undefined> {
  const bytes = Buffer.alloc(HEADER_BYTES);
  await index.read(bytes, 0, HEADER_BYTES, 0);
  try {
    const header = JSON.parse(bytes.toString('utf8')) as EntryHeader;
    return /^[0-9a-f]{16}$/.test(header.birth) ? header : undefined;
  } catch {
    return undefined;
  }
}
