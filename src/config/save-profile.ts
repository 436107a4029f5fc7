import { randomBytes } from 'node:crypto';
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../lib/error-code.ts';
import { plainReason } from '../lib/plain-reason.ts';
import { CredentialsError } from './credentials-error.ts';
import { readPrivateFile } from './private-file.ts';

/**
 * Writes a credentials file anew, from the text it has, empty where there is none. It is there whole or as it was, and
 * only its owner may read it, from the first byte on.
 *
 * @throws CredentialsError when it cannot be read or written
 */
export async function editCredentials(path: string, edit: (text: string) => string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // One that is a link elsewhere stays one.
    const target = await realpath(path).catch(() => path);
    const text = await readPrivateFile(path).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return '';
      throw error;
    });
    await replace(target, edit(text));
  } catch (error) {
    if (error instanceof CredentialsError) throw error;
    throw new CredentialsError(`cannot write ${path}: ${plainReason(error)}`, { cause: error });
  }
}

async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await rename(draft, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}
