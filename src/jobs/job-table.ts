import type { Failure } from '../api/model.ts';
import type { Clock } from '../lib/clock.ts';
import type { JobKind, JobRecord, JobRegistry, JobState } from './ports.ts';

/** Finished jobs that are remembered. */
const FINISHED_KEPT = 1000;

export interface NewJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly source: string;
  readonly target: string | undefined;
}

/** The jobs of the platform that this mount started: what `user.svc.job` shows. `Work` has what people call a job. */
export class JobTable implements JobRegistry {
  readonly #clock: Clock;
  readonly #onUpdate: JobTable['update'] | undefined;
  /** In the order of their start. */
  readonly #jobs = new Map<string, JobRecord>();
  readonly #finished: string[] = [];

  constructor(clock: Clock, onUpdate?: JobTable['update']) {
    this.#clock = clock;
    this.#onUpdate = onUpdate;
  }

  add(job: NewJob): void {
    this.#jobs.set(job.id, {
      ...job,
      state: 'pending',
      startedMs: this.#clock.now(),
      finishedMs: undefined,
      failure: undefined,
    });
  }

  update(id: string, state: JobState, failure: Failure | undefined): void {
    this.#onUpdate?.(id, state, failure);
    const job = this.#jobs.get(id);
    if (!job || isFinished(job.state)) {
      return;
    }
    const finishedMs = isFinished(state) ? this.#clock.now() : undefined;
    this.#jobs.set(id, { ...job, state, failure, finishedMs });
    if (isFinished(state)) {
      this.#finished.push(id);
      this.#forgetOldest();
    }
  }

  /** It was another client's. */
  drop(id: string): void {
    this.#jobs.delete(id);
    const at = this.#finished.indexOf(id);
    if (at !== -1) {
      this.#finished.splice(at, 1);
    }
  }

  list(): readonly JobRecord[] {
    return [...this.#jobs.values()];
  }

  get(id: string): JobRecord | undefined {
    return this.#jobs.get(id);
  }

  ofPath(path: string): JobRecord | undefined {
    return this.list().findLast((job) => job.source === path || job.target === path);
  }

  pending(): number {
    return this.#jobs.size - this.#finished.length;
  }

  #forgetOldest(): void {
    while (this.#finished.length > FINISHED_KEPT) {
      const oldest = this.#finished.shift();
      if (oldest !== undefined) {
        this.#jobs.delete(oldest);
      }
    }
  }
}

export function isFinished(state: JobState): boolean {
  return state === 'done' || state === 'failed';
}
