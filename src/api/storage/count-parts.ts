import type { StorageClient } from '../storage-client.ts';

/** Counts the bytes of parts that stores have taken. */
export class TakenParts {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** The same client, counted. */
  of(storage: StorageClient): StorageClient {
    return {
      ...storage,
      putPart: async (target, body, ...rest) => {
        const stored = await storage.putPart(target, body, ...rest);
        this.#bytes += body.length;
        return stored;
      },
    };
  }
}
