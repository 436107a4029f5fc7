import { once } from 'node:events';

/** Prints a long text as fast as its reader takes it. One that goes away has heard enough. */
export async function printPieces(pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (process.stdout.destroyed) return;
    if (!process.stdout.write(piece))
      await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]);
  }
}
