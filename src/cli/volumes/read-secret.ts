import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { messageOf } from '../../lib/message-of.ts';
import { CliError } from '../exit-codes.ts';
import { askSecret } from '../login/ask-secret.ts';

/**
 * A secret from a file (`-` is the standard input), or without one from a person at the terminal. Never from the command line,
 * which every user of the machine can see.
 *
 * @throws CliError when there is none
 */
export async function readSecret(file: string | undefined, question: string): Promise<string> {
  const secret = file === undefined ? await asked(question) : await contentOf(file);
  if (secret === '') throw new CliError('usage', `${file ?? 'the terminal'}: the secret is empty`);
  if (/\s/.test(secret)) throw new CliError('usage', `${file ?? 'the terminal'}: a secret is one word`);
  return secret;
}

async function contentOf(file: string): Promise<string> {
  try {
    return (file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new CliError('usage', `${file}: ${messageOf(error)}`, { cause: error });
  }
}

async function asked(question: string): Promise<string> {
  try {
    return await askSecret(question);
  } catch (error) {
    if (!(error instanceof CliError) || error.exit !== 'usage') throw error;
    const remedy =
      'there is no terminal to ask for the secret: give --secret-file, or - for the standard input';
    throw new CliError('usage', remedy, { cause: error });
  }
}
