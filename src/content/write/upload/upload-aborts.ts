import type { Api } from '../../../api/api.ts';
import { ApiError } from '../../../api/errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import { Retries } from '../../../lib/retries.ts';

/** How long the end of a mount waits for uploads that are just being given up. */
const LAST_TRIES_MS = 2000;

/** Gives uploads up at the service, which keeps what was sent of one until then, or until it sweeps it. */
export class UploadAborts {
  readonly #clock: Clock;
  readonly #aborts: Retries<string>;
  readonly #firstTries = new Set<Promise<void>>();
  /** The service forbade it: a right that was taken away may be given again. */
  readonly #forbidden = new Set<string>();

  constructor(api: Pick<Api, 'uploads'>, clock: Clock) {
    this.#clock = clock;
    this.#aborts = new Retries(clock, async (uploadId) => {
      try {
        await api.uploads.abort(uploadId, { priority: 'background' });
        return true;
      } catch (error) {
        if (isForbidden(error)) this.#forbidden.add(uploadId);
        return isFinal(error);
      }
    });
  }

  /**
   * Nobody waits for it: near the rate limit it comes last. While the service cannot do it, it is asked again. A
   * service that forbids it is asked again with the next upload that is given up, and at the end.
   */
  abort(uploadId: string): void {
    this.#tryForbidden();
    this.#try(uploadId);
  }

  #tryForbidden(): void {
    const again = [...this.#forbidden];
    this.#forbidden.clear();
    for (const uploadId of again) this.#try(uploadId);
  }

  #try(uploadId: string): void {
    const first = this.#aborts.add(uploadId);
    this.#firstTries.add(first);
    void first.then(() => this.#firstTries.delete(first));
  }

  /** Leaves uploads that are not aborted by then to the service's sweep. Never rejects. */
  async close(): Promise<void> {
    this.#tryForbidden();
    this.#aborts.close();
    const allTried = new AbortController();
    const late = this.#clock.sleep(LAST_TRIES_MS, allTried.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#firstTries), late]);
    allTried.abort();
  }
}

/** Statuses of 4xx that another try may not get: they are about the token, the time taken, or the rate. */
const PASSING: ReadonlySet<number> = new Set([401, 408, 429]);

function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

/** There is no such upload, or it is not ours to give up. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && !PASSING.has(error.status);
}
