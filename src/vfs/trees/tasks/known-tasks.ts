import { isDeepStrictEqual } from 'node:util';
import type { Api } from '../../../api/api.ts';
import type { TaskRecord } from '../../../api/model.ts';
import type { Clock } from '../../../lib/clock.ts';
import { SharedFlights } from '../../../lib/shared-flights.ts';
import { endsWithTime, errnoOf } from '../../errors/errno-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { Beliefs } from '../../model/beliefs.ts';

/** So many records are kept: each may hold many inputs. */
const MOST_RECORDS = 2000;
/** A walk asks for one task after the other, each this soon after the one before. */
const RUN_GAP_MS = 1000;
/** From the third of a walk on, those that one page told of are asked for together. */
const ALONE = 2;

interface Known {
  readonly record: TaskRecord;
  readonly learntMs: number;
}

export interface KnownTasksParts {
  readonly api: Pick<Api, 'tasks'>;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly beliefs: Pick<Beliefs, 'believes'>;
  /** Told of a record that is another than before, or of the last one of a task that is gone. */
  readonly onChanged: (record: TaskRecord) => void;
}

/** What was learnt of tasks, and for how long it counts. */
export class KnownTasks {
  readonly #parts: KnownTasksParts;
  /** Oldest first. */
  readonly #tasks = new Map<string, Known>();
  /** Ids by project and first digits, also of tasks whose records are not kept. */
  readonly #ids = new Map<string, Set<string>>();
  /** Ids that came together, by each of them. */
  readonly #pages = new Map<string, readonly string[]>();
  readonly #flights = new SharedFlights<string, TaskRecord>({ endsWithTime });
  readonly #flightsOfMany = new SharedFlights<string, ReadonlyMap<string, TaskRecord>>({ endsWithTime });
  #run = { asked: 0, lastMs: Number.NEGATIVE_INFINITY };

  constructor(parts: KnownTasksParts) {
    this.#parts = parts;
  }

  learn(records: readonly TaskRecord[]): void {
    const learntMs = this.#parts.clock.elapsed();
    const page = records.map(({ id }) => id);
    for (const record of records) {
      if (page.length > 1) this.#pages.set(record.id, page);
      const before = this.#tasks.get(record.id)?.record;
      this.#tasks.delete(record.id);
      this.#tasks.set(record.id, { record, learntMs });
      this.#index(record);
      if (before && !isDeepStrictEqual(before.wire, record.wire)) this.#parts.onChanged(record);
    }
    for (const id of this.#tasks.keys()) {
      if (this.#tasks.size <= MOST_RECORDS) return;
      this.#tasks.delete(id);
    }
  }

  /** The platform has it no more. */
  lose(id: string): void {
    const known = this.#tasks.get(id);
    if (known === undefined) return;
    this.#tasks.delete(id);
    this.#pages.delete(id);
    this.#ids.get(keyOf(known.record.project, id))?.delete(id);
    this.#parts.onChanged(known.record);
  }

  /** However old; undefined when it is not kept. */
  recordOf(id: string): TaskRecord | undefined {
    return this.#tasks.get(id)?.record;
  }

  /** Ids of a project that begin so, as far as they were ever told. */
  idsWith(project: string, digits: string): readonly string[] {
    return [...(this.#ids.get(keyOf(project, digits)) ?? [])];
  }

  /** @throws ESTALE when it is gone */
  async fresh(id: string, signal: AbortSignal): Promise<TaskRecord> {
    const known = this.#tasks.get(id);
    if (known && (this.#counts(id) || this.#parts.beliefs.believes())) return known.record;
    const together = this.#isWalk() ? this.#pages.get(id)?.filter((each) => !this.#counts(each)) : undefined;
    if (together) {
      const ask = (shared: AbortSignal) => this.#askTogether(together, shared);
      const told = (await this.#flightsOfMany.join(together.join(), signal, ask)).get(id);
      if (told) return told;
    }
    return this.#flights.join(id, signal, (shared) => this.#ask(id, shared));
  }

  async #ask(id: string, signal: AbortSignal): Promise<TaskRecord> {
    try {
      const record = await this.#parts.api.tasks.get(id, { signal });
      this.learn([record]);
      return record;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      this.lose(id);
      throw new FsError('ESTALE', `the task ${id} is gone from the platform`, { cause: error });
    }
  }

  /** Those that the platform tells of. */
  async #askTogether(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, TaskRecord>> {
    const answers = await this.#parts.api.tasks.bulkGet(ids, { signal });
    const records = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
    this.learn(records);
    return new Map(records.map((record) => [record.id, record]));
  }

  #counts(id: string): boolean {
    const known = this.#tasks.get(id);
    return known !== undefined && this.#parts.clock.elapsed() - known.learntMs < this.#parts.ttlMs;
  }

  #isWalk(): boolean {
    const nowMs = this.#parts.clock.elapsed();
    const isNext = nowMs - this.#run.lastMs < RUN_GAP_MS;
    this.#run = { asked: isNext ? this.#run.asked + 1 : 1, lastMs: nowMs };
    return this.#run.asked > ALONE;
  }

  #index({ project, id }: TaskRecord): void {
    const key = keyOf(project, id);
    const ids = this.#ids.get(key) ?? new Set();
    this.#ids.set(key, ids.add(id));
  }
}

function keyOf(project: string, id: string): string {
  return `${project} ${id.slice(0, 8)}`;
}
