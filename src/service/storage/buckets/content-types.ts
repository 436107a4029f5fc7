import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../lib/clock.ts';
import type { ObjectInfo } from '../objects/bucket.ts';

/** About 200 bytes each. */
const REMEMBERED = 50_000;
const ASKED_AT_ONCE = 32;
/** Times are whole seconds, of the store's clock: one so recent does not tell a version from the next. */
const SETTLED_MS = 60_000;

/**
 * Content types of objects that a listing does not tell. Each is asked for once: one version of an object is known by its
 * ETag and time, and its type does not change.
 */
export class ContentTypes {
  readonly #clock: Clock;
  readonly #types = new LRUCache<string, string>({ max: REMEMBERED });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The objects with their types.
   *
   * @param place Of all of them: store and bucket
   * @param ask Undefined for an object that is gone, or may not be looked at: it then keeps the type that it has
   */
  async complete(
    place: string,
    objects: readonly ObjectInfo[],
    ask: (key: string) => Promise<string | undefined>,
  ): Promise<readonly ObjectInfo[]> {
    const complete = [...objects];
    const remaining = objects.entries();
    const run = async (): Promise<void> => {
      for (const [index, object] of remaining) {
        const version = JSON.stringify([place, object.key, object.etag, object.updatedMs]);
        const contentType = this.#types.get(version) ?? (await ask(object.key));
        if (contentType === undefined) continue;
        if (object.updatedMs + SETTLED_MS < this.#clock.now()) this.#types.set(version, contentType);
        complete[index] = { ...object, contentType };
      }
    };
    await Promise.all(Array.from({ length: ASKED_AT_ONCE }, run));
    return complete;
  }
}
