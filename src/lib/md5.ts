import { createHash } from 'node:crypto';
import { type Md5, Md5Lanes, md5Addon } from './md5-lanes.ts';

export type { Md5 };

/** So few bytes are hashed at once: handing them to a thread would take as long. */
const SMALL_BYTES = 64 * 1024;

const addon = md5Addon();
const lanes = addon && new Md5Lanes(addon);
const longLanes = addon && new Md5Lanes(addon);

/** Hashes on another thread, beside all other digests in the making (`md5-lanes.ts`). */
export function createMd5(): Md5 {
  return lanes === undefined ? new Md5OnLoop() : lanes.begin();
}

/**
 * The same for a digest that is itself what takes longest, beside other long ones only: a step of many lanes takes one
 * of them twice as long as a step alone.
 */
export function createLongMd5(): Md5 {
  return longLanes === undefined ? new Md5OnLoop() : longLanes.begin();
}

/** MD5 in hex of bytes that do not change meanwhile; the event loop goes on. */
export async function md5Hex(bytes: Uint8Array): Promise<string> {
  if (bytes.length <= SMALL_BYTES) return createHash('md5').update(bytes).digest('hex');
  const md5 = createMd5();
  const digest = md5.end(bytes);
  md5.hurry();
  return digest;
}

/** About 2 ms of hashing: what an event loop may be kept from its other work. */
const SLICE_BYTES = 512 * 1024;

/** Where the addon is not built: in slices, so that the event loop turns in between. */
class Md5OnLoop implements Md5 {
  readonly #hash = createHash('md5');
  #taken: Promise<void> = Promise.resolve();

  update(piece: Uint8Array): Promise<void> {
    this.#taken = this.#taken.then(() => this.#take(piece));
    return this.#taken;
  }

  async end(piece: Uint8Array): Promise<string> {
    await this.update(piece);
    return this.#hash.digest('hex');
  }

  hurry(): void {}

  async #take(piece: Uint8Array): Promise<void> {
    for (let offset = 0; offset < piece.length; offset += SLICE_BYTES) {
      if (offset > 0) await new Promise(setImmediate);
      this.#hash.update(piece.subarray(offset, offset + SLICE_BYTES));
    }
  }
}
