import { Readable } from 'node:stream';
import type {
  Bucket,
  ListPage,
  ListQuery,
  ObjectInfo,
  OpenObject,
} from '../../src/service/storage/objects/bucket.ts';

/** A store that takes any key, as S3 does; the bytes of an object are its key. */
export class AnyKeys implements Bucket {
  readonly #keys: readonly string[];

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    return this.#keys.includes(key) ? infoOf(key) : undefined;
  }

  tryPut(): Promise<void> {
    return Promise.resolve();
  }

  async list({ prefix }: ListQuery): Promise<ListPage> {
    const below = this.#keys.filter((key) => key.startsWith(prefix)).sort();
    const cutOf = (key: string): number => key.indexOf('/', prefix.length) + 1;
    const prefixes = below.filter((key) => cutOf(key) > 0).map((key) => key.slice(0, cutOf(key)));
    return {
      objects: below.filter((key) => cutOf(key) === 0).map(infoOf),
      prefixes: [...new Set(prefixes)],
      continuation: undefined,
    };
  }

  async open(key: string): Promise<OpenObject | undefined> {
    const info = await this.head(key);
    return (
      info && {
        info,
        sizeBytes: info.sizeBytes,
        etag: info.etag,
        stream: (range) => Readable.from([Buffer.from(key).subarray(range?.first, range && range.last + 1)]),
        close: async () => undefined,
      }
    );
  }

  put(): Promise<ObjectInfo> {
    throw new Error('not part of this test');
  }

  addressOf(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

function infoOf(key: string): ObjectInfo {
  const sizeBytes = Buffer.byteLength(key);
  const rest = { contentType: 'text/plain', storageClass: 'STANDARD', writer: undefined };
  return { key, sizeBytes, etag: `e-${Buffer.from(key).toString('hex')}`, updatedMs: 0, ...rest };
}
