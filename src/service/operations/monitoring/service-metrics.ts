/**
 * The service's metrics of itself, in Prometheus' terms. src/observe/METRICS.md has every name, unit and label for its readers.
 *
 * Labels never hold values that a caller chooses: routes are patterns (`/v2/files/:file_id`), not addresses. So the
 * number of series stays small, and no name or signature gets into them.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AnsweredRequest, RequestMetrics } from '../../http/request-metrics.ts';

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const JOB_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200, 36_000];

/** How a worker leaves a job; only the first two are the end of the job itself. */
export type JobEnd = 'done' | 'failed' | 'given_back' | 'lost';

export class ServiceMetrics implements RequestMetrics {
  readonly registry: Registry = new Registry();
  readonly #requests = new Histogram({
    name: 'svcfs_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [this.registry],
  });
  readonly #aborted = this.#counter('svcfs_http_requests_aborted_total', 'Requests whose caller hung up.');
  readonly #slow = this.#counter('svcfs_http_slow_bodies_total', 'Requests cut for sending too slowly.');
  readonly #refused = this.#counter('svcfs_rate_limit_refusals_total', 'Calls refused by the rate limit.');
  readonly #uploads = new Counter({
    name: 'svcfs_uploads_total',
    help: 'Uploads that ended, by how.',
    labelNames: ['end'],
    registers: [this.registry],
  });
  readonly #uploadedBytes = this.#counter('svcfs_uploaded_bytes_total', 'Sizes of completed uploads.');
  readonly #jobs = new Histogram({
    name: 'svcfs_job_duration_seconds',
    help: 'Time that a worker was at a job, by how that ended.',
    labelNames: ['kind', 'end'],
    buckets: JOB_SECONDS,
    registers: [this.registry],
  });
  readonly #takeovers = this.#counter(
    'svcfs_job_takeovers_total',
    'Jobs taken over after their worker died or gave them back.',
  );
  readonly #swept = new Counter({
    name: 'svcfs_swept_total',
    help: 'What the sweepers removed.',
    labelNames: ['what'],
    registers: [this.registry],
  });

  answered({ method, route = 'none', status, seconds }: AnsweredRequest): void {
    this.#requests.observe({ method, route, status }, seconds);
  }

  requestAborted(): void {
    this.#aborted.inc();
  }

  slowBodyCut(): void {
    this.#slow.inc();
  }

  rateLimitRefused(): void {
    this.#refused.inc();
  }

  uploadCompleted(sizeBytes: number): void {
    this.#uploads.inc({ end: 'completed' });
    this.#uploadedBytes.inc(sizeBytes);
  }

  uploadDropped(end: 'aborted' | 'swept'): void {
    this.#uploads.inc({ end });
  }

  /** A worker ended its work at a job. */
  jobLeft(kind: string, end: JobEnd, seconds: number): void {
    this.#jobs.observe({ kind, end }, seconds);
  }

  jobBegunAgain(): void {
    this.#takeovers.inc();
  }

  swept(what: string, count: number): void {
    this.#swept.inc({ what }, count);
  }

  /** Memory, CPU, garbage collection and the lag of the event loop, under the names that all Node.js programs use. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** A value that is looked up whenever metrics are read. One that cannot be told then is missing, and keeps no other back. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.registry],
      collect: async () => {
        const value = await orUnknown(read);
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      },
    });
  }

  /** A sum that is kept elsewhere. */
  total(name: string, help: string, read: () => number): void {
    const counter: Counter = new Counter({
      name,
      help,
      registers: [this.registry],
      collect: () => {
        counter.reset();
        counter.inc(read());
      },
    });
  }

  /** A gauge with one value for each set of labels. */
  gauges(
    { name, help, labels }: { readonly name: string; readonly help: string; readonly labels: string[] },
    read: () => Promise<readonly { readonly labels: Record<string, string>; readonly value: number }[]>,
  ): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      collect: async () => {
        const values = (await orUnknown(read)) ?? [];
        gauge.reset();
        for (const { labels: of, value } of values) gauge.set(of, value);
      },
    });
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }
}

/** Undefined while the database is away. */
async function orUnknown<Value>(read: () => Value | Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

export interface HasMetrics {
  readonly metrics: ServiceMetrics;
}
