import type { ApiClient } from '../../api/create-api.ts';
import { createStorageClient } from '../../api/create-storage-client.ts';
import type { StorageClient } from '../../api/storage-client.ts';
import type { Credentials } from '../../config/credentials.ts';
import type { NETWORK } from '../../config/mount/network.ts';
import type { OptionValues } from '../../config/option.ts';
import { MemoryPool } from '../../content/memory/memory-pool.ts';
import type { ContentReader } from '../../content/ports.ts';
import { createContentReader } from '../../content/read/content-reader.ts';
import { commandClient } from '../command-client.ts';
import { CliError } from '../exit-codes.ts';
import { accessError } from '../mount/access-error.ts';

export interface Platform {
  readonly api: ApiClient;
  readonly reader: ContentReader;
}

const MEMORY_BYTES = 128 * 2 ** 20;

/** Reads the platform for one command, without a mount. @throws CliError when it cannot be asked */
export async function withPlatform<T>(
  credentials: Credentials,
  network: OptionValues<typeof NETWORK>,
  work: (platform: Platform) => Promise<T>,
): Promise<T> {
  const { api, shared } = await commandClient(credentials, network);
  const storage: StorageClient = createStorageClient(shared);
  try {
    const memory = new MemoryPool(MEMORY_BYTES);
    return await work({ api, reader: createContentReader({ api, storage, memory, clock: shared.clock }) });
  } catch (error) {
    const told = accessError(error, credentials.endpoint);
    throw told === undefined ? error : new CliError(told.exit, told.message, { cause: error });
  } finally {
    await Promise.all([api.close(), storage.close()]);
  }
}
