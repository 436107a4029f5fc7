import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/** Asks on the terminal. The end of the input is a no. */
export async function confirmed(question: string, signal: AbortSignal): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    const ended = once(asking, 'close').then(() => '');
    const answer = await Promise.race([asking.question(`${question} [y/N] `, { signal }), ended]);
    return /^y(?:es)?$/i.test(answer.trim());
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    asking.close();
  }
}
