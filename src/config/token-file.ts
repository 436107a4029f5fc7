import { plainReason } from '../lib/plain-reason.ts';
import { CredentialsError } from './credentials-error.ts';
import { readPrivateFile } from './private-file.ts';

export async function readTokenFile(path: string): Promise<string> {
  try {
    return (await readPrivateFile(path)).trim();
  } catch (error) {
    if (error instanceof CredentialsError) throw error;
    throw new CredentialsError(`cannot read the token file ${path}: ${plainReason(error)}`, { cause: error });
  }
}

/** A token goes into a header: anything but printable ASCII is a slip, such as the wrong file. */
export function checkedToken(token: string): string {
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) {
    throw new CredentialsError('the token is not one word of printable characters: is it the right file?');
  }
  return token;
}
