import { createReadStream } from 'node:fs';
import { errorCode } from '../../../lib/error-code.ts';
import { decodeEntry, type JournalEntry } from './journal-entry.ts';

const CHUNK_BYTES = 256 * 1024;
const LINE_END = 10;

export interface JournalLine {
  /** Undefined when the line is damaged. */
  readonly entry: JournalEntry | undefined;
  /** Where the next line begins. */
  readonly end: number;
}

/** The whole lines of a journal, one after the other; none when there is no journal. */
export async function* journalLines(path: string, signal?: AbortSignal): AsyncGenerator<JournalLine> {
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
        yield { entry: decodeEntry(line.toString('utf8')), end };
      }
      begun.push(rest);
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
