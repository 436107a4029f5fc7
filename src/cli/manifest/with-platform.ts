import type { StorageClient } from '../../api/api.ts';
import { type ApiClient, createApi } from '../../api/create-api.ts';
import { createStorageClient } from '../../api/create-storage-client.ts';
import { Network } from '../../api/network/network.ts';
import type { Credentials } from '../../config/credentials.ts';
import type { NETWORK } from '../../config/mount/network.ts';
import { resolveNetwork } from '../../config/network.ts';
import type { OptionValues } from '../../config/option.ts';
import { MemoryPool } from '../../content/memory/memory-pool.ts';
import type { ContentReader } from '../../content/ports.ts';
import { createContentReader } from '../../content/read/content-reader.ts';
import { systemClock } from '../../lib/clock.ts';
import { CliError } from '../exit-codes.ts';
import { accessError } from '../mount/access-error.ts';
import { sayRateWait } from '../say-waits.ts';

export interface Platform {
  readonly api: ApiClient;
  readonly reader: ContentReader;
}

const TIMEOUT_MS = 60_000;
const MEMORY_BYTES = 128 * 2 ** 20;

/** Reads the platform for one command, without a mount. @throws CliError when it cannot be asked */
export async function withPlatform<T>(
  { endpoint, token, dialect }: Credentials,
  network: OptionValues<typeof NETWORK>,
  work: (platform: Platform) => Promise<T>,
): Promise<T> {
  const clock = systemClock;
  const shared = {
    clock,
    network: new Network(await resolveNetwork({ ...network, environment: process.env }, endpoint)),
    limits: { timeoutMs: TIMEOUT_MS },
  };
  const api = createApi({
    ...shared,
    endpoint,
    token,
    dialect: dialect.dialect,
    dialectSettled: dialect.settled,
    onRateWait: sayRateWait,
  });
  const storage: StorageClient = createStorageClient(shared);
  try {
    const memory = new MemoryPool(MEMORY_BYTES);
    return await work({ api, reader: createContentReader({ api, storage, memory, clock }) });
  } catch (error) {
    const told = accessError(error, endpoint);
    throw told === undefined ? error : new CliError(told.exit, told.message, { cause: error });
  } finally {
    await Promise.all([api.close(), storage.close()]);
  }
}
