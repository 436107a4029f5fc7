/**
 * Does the jobs: imports, exports, asynchronous copies, moves and deletions, and tasks.
 *
 * Any number of workers, in any number of processes, may work on one database. A worker leases a job (job-table.ts),
 * renews the lease while it works, and records the end together with the job's effect. So a job whose worker dies is done
 * by another once the lease has run out, and its effect happens once.
 *
 * Every kind of job can be begun again at any point: what it does outside the database (the copy of an export) is either
 * not visible yet or recognised as its own.
 */

import { randomId } from '../../lib/random-id.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasMetrics, JobEnd } from '../operations/monitoring/service-metrics.ts';
import { isPassingFailure } from '../store/database-failure.ts';
import { storedTime } from '../store/stored-time.ts';
import { failureOf, type JobRun, type JobServices, type JobWork } from './job-run.ts';
import { type JobKind, type JobRow, jobsIn, type Lease, LeaseLostError } from './job-table.ts';

export interface WorkerOptions {
  /** Which jobs it does. Default: all but tasks. */
  readonly kinds?: readonly JobKind[];
  /** Jobs at once. Default: 4. */
  readonly concurrency?: number;
  /** How long a worker may be silent before its jobs are taken over. Default: 15. */
  readonly leaseSeconds?: number | undefined;
  /** How often to look for jobs that other processes submitted or left behind. Default: 2. */
  readonly pollSeconds?: number;
}

/** A job that has ended so many workers is given up. */
const ATTEMPTS_MAX = 5;

/** Jobs that are short, as opposed to tasks. */
const SHORT_JOBS: readonly JobKind[] = ['import', 'export', 'copy', 'move', 'delete'];

/** How the jobs of each kind are done. */
export type JobWorks<Services extends JobServices> = Readonly<Record<JobKind, JobWork<Services>>>;

type WorkerServices = JobServices & HasMetrics;

export class Worker<Services extends WorkerServices> {
  readonly #services: Services;
  readonly #works: JobWorks<Services>;
  readonly #name = randomId();
  #leases = 0;
  readonly #kinds: readonly JobKind[];
  readonly #concurrency: number;
  readonly #leaseMs: number;
  readonly #pollMs: number;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #loop: Promise<void> = Promise.resolve();

  constructor(services: Services, works: JobWorks<Services>, options: WorkerOptions = {}) {
    this.#services = services;
    this.#works = works;
    this.#kinds = options.kinds ?? SHORT_JOBS;
    this.#concurrency = options.concurrency ?? 4;
    this.#leaseMs = (options.leaseSeconds ?? 15) * 1000;
    this.#pollMs = (options.pollSeconds ?? 2) * 1000;
  }

  start(): void {
    this.#loop = this.#work();
  }

  /** Takes no more jobs, breaks off those at work and gives them back; resolves when none is left. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the worker stops'));
    await this.#loop;
    await Promise.all(this.#running);
  }

  async #work(): Promise<void> {
    const { jobSignals, logger } = this.#services;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const seen = jobSignals.count('work');
      await this.#takeJobs().catch((error) => logger.error({ err: error }, 'no job could be taken'));
      await jobSignals.after(seen, 'work', { ms: this.#pollMs, signal });
    }
  }

  async #takeJobs(): Promise<void> {
    const { store, clock } = this.#services;
    while (this.#running.size < this.#concurrency && !this.#stopping.signal.aborted) {
      const now = clock.now();
      const times = { now: storedTime(now), until: storedTime(now + this.#leaseMs) };
      // A name for each lease: a worker that was too slow for its own job must not hold it twice.
      this.#leases += 1;
      const holder = `${this.#name}-${this.#leases}`;
      const job = await jobsIn(store).lease(holder, { ...times, kinds: this.#kinds });
      if (job === undefined) return;
      const running = this.#do(job, holder).finally(() => {
        this.#running.delete(running);
        this.#services.jobSignals.hear('work');
      });
      this.#running.add(running);
    }
  }

  /** Never rejects. */
  async #do(job: JobRow, holder: string): Promise<void> {
    const { jobSignals, metrics, clock } = this.#services;
    const began = clock.monotonic();
    if (job.attempts > 1) metrics.jobBegunAgain();
    const lease = { jobId: job.id, worker: holder };
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#stopping.signal]);
    const renewing = this.#keepLease(lease, over);
    const run = { services: this.#services, job, lease, signal };
    metrics.jobLeft(job.kind, await this.#runToEnd(run), (clock.monotonic() - began) / 1000);
    over.abort();
    await renewing;
    jobSignals.tell('changed');
  }

  async #runToEnd(run: JobRun<Services>): Promise<JobEnd> {
    const { job, services } = run;
    try {
      if (job.attempts > ATTEMPTS_MAX)
        throw new ServiceError(90009, 'The job was begun too often and given up.');
      await this.#works[job.kind].run(run);
      return 'done';
    } catch (error) {
      return this.#settle(run, error).catch((err) => {
        services.logger.error({ job: job.id, err }, 'job end not recorded');
        return 'lost';
      });
    }
  }

  /** Renews the lease until the job is over, or breaks the job off when the lease is lost. */
  async #keepLease(lease: Lease, over: AbortController): Promise<void> {
    const { store, clock, logger } = this.#services;
    while (!over.signal.aborted) {
      await clock.sleep(this.#leaseMs / 3, over.signal).catch(() => undefined);
      if (over.signal.aborted) return;
      const until = storedTime(clock.now() + this.#leaseMs);
      const kept = await jobsIn(store)
        .renew(lease, until)
        .catch((err) => {
          logger.warn({ job: lease.jobId, err }, 'lease not renewed');
          return true;
        });
      if (!kept) over.abort(new LeaseLostError(lease));
    }
  }

  /** Decides what an error means for the job. */
  async #settle(run: JobRun<Services>, error: unknown): Promise<JobEnd> {
    const { store, logger } = this.#services;
    const { job, lease, signal } = run;
    if (error instanceof LeaseLostError || signal.reason instanceof LeaseLostError) {
      logger.warn({ job: job.id }, 'job lost to another worker');
      return 'lost';
    }
    // A failure of the database is none of the job: a worker that reaches the database begins it again.
    if (this.#stopping.signal.aborted || isPassingFailure(error)) {
      logger.warn({ job: job.id, err: error }, 'job given back');
      await jobsIn(store).record(lease, { leased_by: null, lease_until: null, attempts: job.attempts - 1 });
      return 'given_back';
    }
    if (!(error instanceof ServiceError)) logger.error({ job: job.id, err: error }, 'job failed');
    await this.#works[job.kind].fail(run, failureOf(error));
    return 'failed';
  }
}
