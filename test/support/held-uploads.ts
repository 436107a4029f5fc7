import type { Api } from '../../src/api/api.ts';
import { ApiError, TransportError } from '../../src/api/errors.ts';
import { withMethods } from './changing-world.ts';
import { waitUntil } from './wait-until.ts';

export const outage = new TransportError('no answer', { call: 'POST /upload/inline' });
export const refusal = new ApiError(
  { status: 403, code: 8001, message: 'no' },
  { call: 'POST /upload/inline' },
);

/** An upload that is held, and its ends: an outage, a refusal, or success. */
interface HeldUpload {
  readonly fail: () => void;
  readonly refuse: () => void;
  readonly pass: () => void;
}

/** Holds the last call of each upload, from when it is told to. */
export class HeldUploads {
  held = false;
  readonly begun: HeldUpload[] = [];

  /** The `count`th upload since they were held. */
  async nth(count: number): Promise<HeldUpload> {
    await waitUntil(() => this.begun.length >= count);
    return this.begun[count - 1]!;
  }

  over(api: Api): Api {
    const { uploads } = api;
    const inline: typeof uploads.inline = async (...args) => {
      await this.#hold();
      return uploads.inline(...args);
    };
    const complete: typeof uploads.complete = async (...args) => {
      await this.#hold();
      return uploads.complete(...args);
    };
    return withMethods(api, { uploads: withMethods(uploads, { inline, complete }) });
  }

  async #hold(): Promise<void> {
    if (!this.held) return;
    await new Promise<void>((pass, reject) => {
      this.begun.push({ pass, fail: () => reject(outage), refuse: () => reject(refusal) });
    });
  }
}
