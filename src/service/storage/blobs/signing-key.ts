import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writePrivateFile } from '../objects/durable-file.ts';

const KEY_BYTES = 32;

/**
 * The service's key for signed addresses, made at the first start. Addresses outlive a restart with it. Processes that start
 * together have the same.
 */
export async function readOrMakeKey(path: string): Promise<Buffer> {
  try {
    await writePrivateFile(path, randomBytes(KEY_BYTES).toString('hex'), { overwrite: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = Buffer.from(await readFile(path, 'utf8'), 'hex');
  if (key.length !== KEY_BYTES) throw new Error(`${path} does not hold a key of ${KEY_BYTES} bytes`);
  return key;
}
