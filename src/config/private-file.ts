import { open } from 'node:fs/promises';
import { CredentialsError } from './credentials-error.ts';

const OTHERS = 0o077;

/**
 * The text of a file that holds a token.
 *
 * @throws CredentialsError when it is a file on a disk that others may read or write; what a pipe brings is nobody else's
 */
export async function readPrivateFile(path: string): Promise<string> {
  const file = await open(path);
  try {
    const facts = await file.stat();
    if (facts.isFile() && (facts.mode & OTHERS) !== 0)
      throw new CredentialsError(`${path} holds tokens and others may read it: run chmod 600 ${path}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
