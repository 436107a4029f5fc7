/**
 * What people call a job: a move, copy or deletion that somebody asked for. That of a folder to or from a volume is a job of
 * the platform for each file; here it is one, with sums and the items that failed.
 */
import type { Failure } from '../api/model.ts';
import type { Clock } from '../lib/clock.ts';
import { type Deferred, deferred } from '../lib/deferred.ts';
import { messageOf } from '../lib/message-of.ts';
import { untilAborted } from '../lib/until-aborted.ts';
import { WatchingEnded } from './job-watch.ts';
import type { JobKind, JobState, WorkRecord, Works } from './ports.ts';

/** Finished ones that are remembered: so many, and so many items of them. */
const FINISHED_KEPT = 1000;
const ITEMS_KEPT = 100_000;

type Paths = { readonly source: string; readonly target: string | undefined };

/** One file of a folder, or all there is to do. */
export interface WorkItem extends Paths {
  state: JobState | 'waiting';
  failure: Failure | undefined;
}

interface NewWork extends Paths {
  readonly kind: JobKind;
  readonly items: readonly Paths[];
  /** Does these items again. */
  readonly again: (items: readonly WorkItem[]) => Promise<unknown>;
}

export class Work {
  readonly items: readonly WorkItem[];
  readonly #given: NewWork;
  readonly #table: WorkTable;
  readonly #startedMs: number;
  #finishedMs: number | undefined;
  #id: string | undefined;
  #isCancelled = false;

  constructor(given: NewWork, table: WorkTable) {
    this.#given = given;
    this.#table = table;
    this.#startedMs = table.now();
    this.items = given.items.map((paths) => ({ ...paths, state: 'waiting', failure: undefined }));
  }

  /** That of its first job of the platform; undefined before that is begun. */
  get id(): string | undefined {
    return this.#id;
  }

  /** What has not begun does not. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  started(item: WorkItem, jobId: string): void {
    this.#id ??= jobId;
    Object.assign(item, { state: 'pending', failure: undefined });
    this.#table.began(this, item, jobId);
  }

  /** The result of an item, whatever its job told. */
  ended(item: WorkItem, failure: Failure | undefined): void {
    Object.assign(item, { state: failure ? 'failed' : 'done', failure });
    this.changed();
  }

  /** Nothing more is sent. */
  closed(because = NOT_BEGUN): void {
    for (const item of this.items) if (item.state === 'waiting') this.ended(item, because);
  }

  changed(): void {
    this.#finishedMs = this.isOver ? (this.#finishedMs ?? this.#table.now()) : undefined;
    this.#table.changed(this);
  }

  cancel(): void {
    this.#isCancelled = true;
    this.closed();
  }

  async retry(): Promise<void> {
    const failed = this.items.filter(({ state }) => state === 'failed');
    if (failed.length === 0) return;
    this.#isCancelled = false;
    for (const item of failed) Object.assign(item, { state: 'waiting', failure: undefined });
    this.changed();
    // An item that began has a failure of its own.
    const reason = await this.#given.again(failed).then(() => undefined, messageOf);
    this.closed(reason === undefined ? NOT_BEGUN : { ...NOT_BEGUN, message: reason });
  }

  get isOver(): boolean {
    return this.items.every(({ state }) => state === 'done' || state === 'failed');
  }

  record(): WorkRecord {
    const { kind, source, target } = this.#given;
    const failed = this.items.filter(({ state }) => state === 'failed');
    const count = (wanted: WorkItem['state']): number =>
      this.items.filter(({ state }) => state === wanted).length;
    return {
      id: this.#id ?? '',
      kind,
      source,
      target,
      state: this.#state(failed.length),
      startedMs: this.#startedMs,
      finishedMs: this.#finishedMs,
      failure: failed[0]?.failure,
      total: this.items.length,
      done: count('done'),
      failed: failed.map(({ source: from, target: to, failure = NOT_BEGUN }) => ({
        source: from,
        target: to,
        failure,
      })),
    };
  }

  #state(failed: number): JobState {
    if (this.isOver) return failed > 0 ? 'failed' : 'done';
    const isPending = this.items.every(({ state }) => state === 'pending' || state === 'waiting');
    return isPending ? 'pending' : 'running';
  }
}

const NOT_BEGUN: Failure = {
  status: 0,
  code: 0,
  message: 'not begun: the command ended, or was cancelled, before',
};

export class WorkTable implements Works {
  readonly #clock: Pick<Clock, 'now'>;
  /** By id, in the order of their start. */
  readonly #works = new Map<string, Work>();
  readonly #byJob = new Map<string, { readonly work: Work; readonly item: WorkItem }>();
  #change: Deferred<void> = deferred();
  #isClosed = false;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  begin(work: NewWork): Work {
    return new Work(work, this);
  }

  /** The platform told of a job. */
  updated(jobId: string, state: JobState, failure: Failure | undefined): void {
    const { work, item } = this.#byJob.get(jobId) ?? {};
    if (!work || !item || item.state === 'done' || item.state === 'failed') return;
    Object.assign(item, { state, failure });
    if (state === 'done' || state === 'failed') this.#byJob.delete(jobId);
    work.changed();
  }

  began(work: Work, item: WorkItem, jobId: string): void {
    this.#byJob.set(jobId, { work, item });
    if (work.id !== undefined) this.#works.set(work.id, work);
    work.changed();
  }

  changed(work: Work): void {
    if (work.isOver) this.#forgetOldest();
    this.#change.resolve();
    this.#change = deferred();
  }

  now(): number {
    return this.#clock.now();
  }

  list(): readonly WorkRecord[] {
    return [...this.#works.values()].map((work) => work.record());
  }

  get(id: string): WorkRecord | undefined {
    return this.#works.get(id)?.record();
  }

  async wait(id: string, signal?: AbortSignal): Promise<WorkRecord | undefined> {
    const work = this.#works.get(id);
    while (work && !work.isOver) {
      if (this.#isClosed) throw new WatchingEnded();
      await untilAborted(this.#change.promise, signal);
    }
    return work?.record();
  }

  retry(id: string): Promise<void> {
    return this.#works.get(id)?.retry() ?? Promise.resolve();
  }

  cancel(id: string): void {
    this.#works.get(id)?.cancel();
  }

  close(): void {
    this.#isClosed = true;
    this.#change.resolve();
  }

  #forgetOldest(): void {
    const finished = [...this.#works.values()].filter((work) => work.isOver);
    let items = finished.reduce((sum, work) => sum + work.items.length, 0);
    for (const [index, work] of finished.entries()) {
      const isTooMuch = finished.length - index > FINISHED_KEPT || items > ITEMS_KEPT;
      // The last one stays, however large it is.
      if (!isTooMuch || index === finished.length - 1) return;
      items -= work.items.length;
      this.#works.delete(work.id ?? '');
    }
  }
}
