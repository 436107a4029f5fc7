import type { Api } from '../../src/api/api.ts';
import { createApi } from '../../src/api/create-api.ts';
import { createStorageClient } from '../../src/api/create-storage-client.ts';
import { MemoryPool } from '../../src/content/memory/memory-pool.ts';
import type { ContentReader, ContentWriter, Draft, OpenVersion } from '../../src/content/ports.ts';
import { createContentReader } from '../../src/content/read/content-reader.ts';
import { createContentWriter } from '../../src/content/write/content-writer.ts';
import { systemClock } from '../../src/lib/clock.ts';

const MIB = 1024 * 1024;
export const forever = new AbortController().signal;

/** The data path of one mount, without the mount. */
export interface ContentClient extends AsyncDisposable {
  readonly api: Api;
  readonly reader: ContentReader;
  readonly writer: ContentWriter;
}

export function contentClient(options: {
  readonly endpoint: string;
  readonly token: string;
  readonly directory: string;
}): ContentClient {
  const clock = systemClock;
  const api = createApi({ endpoint: options.endpoint, token: options.token, clock });
  const storage = createStorageClient({ clock });
  const memory = new MemoryPool(256 * MIB);
  const reader = createContentReader({ api, storage, memory, clock });
  const { directory } = options;
  const writer = createContentWriter({
    partSizeBytes: 16 * 1024 * 1024,
    api,
    storage,
    reader,
    memory,
    clock,
    directory,
    deliver: async () => {},
  });
  return {
    api,
    reader,
    writer,
    [Symbol.asyncDispose]: async () => {
      await writer.close();
      await Promise.all([api.close(), storage.close()]);
    },
  };
}

/** Writes a draft from front to back in pieces of 1 MiB, as the kernel does. */
export async function writeAll(draft: Draft, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += MIB) {
    await draft.write(at, bytes.subarray(at, at + MIB), forever);
  }
}

/** Reads a version from front to back in pieces of 1 MiB. */
export async function readAll(handle: OpenVersion): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < handle.version.sizeBytes; at += MIB) {
    const { chunks, release } = await handle.read(at, MIB, { signal: forever });
    pieces.push(Buffer.concat(chunks));
    release?.();
  }
  return Buffer.concat(pieces);
}
