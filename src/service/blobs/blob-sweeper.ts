import { storedTime } from '../api-time.ts';
import type { Services } from '../services.ts';

const INTERVAL_MS = 60_000;
const BATCH = 500;

/** Removes the bytes of files that are gone, after a time of grace for those who are reading them. */
export class BlobSweeper {
  readonly #services: Services;
  readonly #graceMs: number;
  readonly #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(services: Services, graceSeconds: number) {
    this.#services = services;
    this.#graceMs = graceSeconds * 1000;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  /** Removes what is due now. */
  async sweep(): Promise<void> {
    const { store, blobs, clock } = this.#services;
    const due = storedTime(clock.now() - this.#graceMs);
    for (const key of await store.blobGarbage.unusedSince(due, BATCH)) {
      await blobs.remove(key);
      await store.blobGarbage.forget(key);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.sweep();
        await this.#services.clock.sleep(INTERVAL_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#services.logger.error({ err: error }, 'sweeping blobs failed');
        await this.#services.clock.sleep(INTERVAL_MS, signal).catch(() => undefined);
      }
    }
  }
}
