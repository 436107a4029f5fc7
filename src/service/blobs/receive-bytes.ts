import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { randomId } from '../random-id.ts';
import { ServiceError } from '../service-error.ts';

export interface ReceivedFile {
  /** Still a temporary name: the caller gives it a lasting one. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly md5: string;
}

/** Writes the bytes to a new hidden file in `directory`, durably. Leaves nothing behind when it fails. */
export async function receiveBytes(
  directory: string,
  bytes: Readable,
  maxBytes: number,
): Promise<ReceivedFile> {
  const path = join(directory, `.${randomId()}`);
  const md5 = createHash('md5');
  let sizeBytes = 0;
  const handle = await open(path, 'wx');
  try {
    // Left early, the stream must live: destroying a request closes its connection before the answer is sent.
    for await (const chunk of bytes.iterator({ destroyOnReturn: false })) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes)
        throw new ServiceError(90000, `More than ${maxBytes} bytes.`, { status: 413 });
      md5.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.datasync();
    await handle.close();
    return { path, sizeBytes, md5: md5.digest('hex') };
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(path, { force: true });
    // The rest must be read all the same: on a connection that is kept, the next request comes after it.
    bytes.resume();
    throw error;
  }
}
