import { closeSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import { CliError } from '../exit-codes.ts';

const TERMINAL = '/dev/tty';

/**
 * What a person types at the terminal, which shows nothing of it. The standard input and output may be files.
 *
 * @throws CliError when there is no terminal, or the person gives up
 */
export async function askSecret(question: string): Promise<string> {
  const { input, output } = openTerminal();
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true, historySize: 0 });
  try {
    writeSync(output, question);
    return await new Promise<string>((resolve, reject) => {
      const giveUp = (): void => reject(new CliError('failure', 'interrupted: nothing was changed'));
      lines.once('line', (line) => resolve(line.trim()));
      lines.once('SIGINT', giveUp);
      lines.once('close', giveUp);
    });
  } finally {
    lines.close();
    input.destroy();
    writeSync(output, '\n');
    closeSync(output);
  }
}

function openTerminal(): { readonly input: ReadStream; readonly output: number } {
  try {
    return { input: new ReadStream(openSync(TERMINAL, 'r')), output: openSync(TERMINAL, 'w') };
  } catch (error) {
    throw new CliError(
      'usage',
      'there is no terminal to ask for the token: give --token-file, or - for the standard input',
      {
        cause: error,
      },
    );
  }
}
