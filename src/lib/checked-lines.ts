/** Lines that tell whether they are whole: CRC-32 in hex, a space, JSON. */
import { createReadStream } from 'node:fs';
import { crc32 } from 'node:zlib';
import { errorCode } from './error-code.ts';

const CHUNK_BYTES = 256 * 1024;
const LINE_END = 10;
const CHECKSUM_DIGITS = 8;

/** With its end. */
export function checkedLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(json)} ${json}\n`;
}

/** The value of a line without its end; undefined when it is damaged. */
export function checkedValue(line: string): unknown {
  const json = line.slice(CHECKSUM_DIGITS + 1);
  const isWhole = json !== '' && line.slice(0, CHECKSUM_DIGITS + 1) === `${checksum(json)} `;
  return isWhole ? (JSON.parse(json) as unknown) : undefined;
}

export interface CheckedLine {
  /** Undefined when the line is damaged. */
  readonly value: unknown;
  /** Where the next line begins, in bytes. */
  readonly end: number;
}

/** The lines of a file that have an end, one after the other; none when there is no file. */
export async function* checkedLines(path: string, signal?: AbortSignal): AsyncGenerator<CheckedLine> {
  let begun: Buffer[] = [];
  let end = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES, signal })) {
      let rest: Buffer = chunk;
      for (let length = rest.indexOf(LINE_END); length >= 0; length = rest.indexOf(LINE_END)) {
        const line = Buffer.concat([...begun, rest.subarray(0, length)]);
        begun = [];
        rest = rest.subarray(length + 1);
        end += line.length + 1;
        yield { value: checkedValue(line.toString('utf8')), end };
      }
      begun.push(rest);
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_DIGITS, '0');
}
