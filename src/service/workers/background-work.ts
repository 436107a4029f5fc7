import { DEFAULT_BLOB_GRACE_SECONDS, type ServicesOptions } from '../service-config.ts';
import type { Services } from '../services.ts';
import { Sweeper } from '../sweeping/sweeper.ts';
import { Worker } from './worker.ts';

/** What a process does by itself, not because a request asks for it. */
export class BackgroundWork {
  readonly #worker: Worker;
  readonly #sweeper: Sweeper;

  static start(services: Services, options: ServicesOptions): BackgroundWork {
    const work = new BackgroundWork(services, options);
    work.#sweeper.start();
    work.#worker.start();
    return work;
  }

  private constructor(
    services: Services,
    { blobGraceSeconds = DEFAULT_BLOB_GRACE_SECONDS, uploadDays }: ServicesOptions,
  ) {
    this.#worker = new Worker(services);
    this.#sweeper = new Sweeper(services, { blobGraceSeconds, uploadDays });
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
    await this.#sweeper.stop();
  }
}
