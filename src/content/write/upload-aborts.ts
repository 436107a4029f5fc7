import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { Retries } from '../../lib/retries.ts';

/** Gives uploads up at the service, which keeps what was sent of one until then, or until it sweeps it. */
export class UploadAborts {
  readonly #aborts: Retries<string>;

  constructor(api: Api, clock: Clock) {
    this.#aborts = new Retries(clock, async (uploadId) => {
      try {
        await api.uploads.abort(uploadId, { priority: 'background' });
        return true;
      } catch (error) {
        return isFinal(error);
      }
    });
  }

  /** Waits for the first try only, and never rejects; while the service cannot do it, it is asked again. */
  abort(uploadId: string): Promise<void> {
    return this.#aborts.add(uploadId);
  }

  /** What was not given up is left to the service's sweep. */
  close(): void {
    this.#aborts.close();
  }
}

/** Answers of 4xx to a request that another time may bring another answer to: who asks, and how often. */
const PASSING: ReadonlySet<number> = new Set([401, 408, 429]);

/** There is no such upload, or it is not ours to give up. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && !PASSING.has(error.status);
}
