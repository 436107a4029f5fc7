import { JOB_WORKS } from './job-works.ts';
import { Worker } from './jobs/worker.ts';
import { Sweeper } from './operations/sweeping/sweeper.ts';
import { DEFAULT_BLOB_GRACE_SECONDS, type ServicesOptions } from './service-config.ts';
import type { Services } from './services.ts';
import { sweepsOf } from './sweeps.ts';

/** The work that a process does by itself, without a request. */
export class BackgroundWork {
  readonly #workers: readonly Worker<Services>[];
  readonly #sweeper: Sweeper<Services>;

  static start(services: Services, options: ServicesOptions): BackgroundWork {
    const work = new BackgroundWork(services, options);
    work.#sweeper.start();
    for (const worker of work.#workers) worker.start();
    return work;
  }

  private constructor(
    services: Services,
    { blobGraceSeconds = DEFAULT_BLOB_GRACE_SECONDS, uploadDays, auditDays, leaseSeconds }: ServicesOptions,
  ) {
    const { taskRunner } = services;
    // Tasks run for hours: they must not keep the others waiting, nor wait for them.
    const forTasks =
      taskRunner === undefined
        ? []
        : [
            new Worker(services, JOB_WORKS, {
              kinds: ['task'],
              concurrency: taskRunner.engine.slots,
              leaseSeconds,
            }),
          ];
    this.#workers = [new Worker(services, JOB_WORKS, { leaseSeconds }), ...forTasks];
    this.#sweeper = new Sweeper(services, sweepsOf({ blobGraceSeconds, uploadDays, auditDays }));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.#sweeper.stop();
  }
}
