import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../lib/error-code.ts';

/** What a pipe says whose reader went away. */
const HEARD_ENOUGH = ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'];

/** Prints a long text as fast as its reader takes it. One that goes away has heard enough. */
export async function printPieces(pieces: Iterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), process.stdout, { end: false });
  } catch (error) {
    if (!HEARD_ENOUGH.includes(errorCode(error) ?? '')) throw error;
  }
}
