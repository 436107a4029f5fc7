import type { Clock } from '../../lib/clock.ts';
import { jobOf } from '../../lib/process-table.ts';
import { currentRequester } from '../../lib/requester.ts';
import { FsError } from '../errors/fs-error.ts';

const WINDOW_MS = 60_000;
/** Of processes that cannot be told apart: they count as one program. */
const UNKNOWN = 0;

/** Lets deletions through without counting them: those of a program, or those at a path of the tree and below it. */
type Permission = { readonly group: number } | { readonly path: string };

interface Granted {
  readonly permission: Permission;
  readonly untilMs: number;
}

interface DeletionsOptions {
  /** Deletions that a program has in a minute; undefined: any number. */
  readonly limit: number | undefined;
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Default: as the system tells. */
  readonly jobOf?: typeof jobOf;
}

/**
 * Counts what each program removes, for `--confirm-delete`. A program is a process group: what a shell starts as one job. A refused
 * deletion counts, too, so that a program that goes on trying stays refused.
 */
export class Deletions {
  readonly #limit: number | undefined;
  readonly #clock: DeletionsOptions['clock'];
  readonly #jobOf: typeof jobOf;
  /** Times of the last deletions of each program. */
  readonly #recent = new Map<number, readonly number[]>();
  #permissions: readonly Granted[] = [];

  constructor({ limit, clock, jobOf: ask = jobOf }: DeletionsOptions) {
    this.#limit = limit;
    this.#clock = clock;
    this.#jobOf = ask;
  }

  /** @throws FsError EPERM when the program that asks now has removed too much */
  require(name: string, path: string): void {
    const limit = this.#limit;
    if (limit === undefined) return;
    const { thread = UNKNOWN } = currentRequester() ?? {};
    const { group, process } = (thread === UNKNOWN ? undefined : this.#jobOf(thread)) ?? NOBODY;
    if (this.#isAllowed(group, path)) return;
    if (this.#count(group, limit) <= limit) return;
    const who = process === UNKNOWN ? 'one program' : `process ${process}`;
    const itself = process === UNKNOWN ? '' : `, or svcfs allow --pid ${process} for that program alone`;
    throw new FsError(
      'EPERM',
      `${name} stays: ${who} tried to remove more than ${limit} entries within a minute (--confirm-delete ${limit}). ` +
        `To let this happen run svcfs allow PATH, for a file or folder${itself}; then do it again`,
    );
  }

  /** @throws Error when deletions need no permission, or there is no such process */
  allow(asked: { readonly path: string } | { readonly pid: number }, forMs: number): void {
    if (this.#limit === undefined)
      throw new Error('this mount counts no deletions: it was made without --confirm-delete');
    const untilMs = this.#clock.elapsed() + forMs;
    this.#permissions = [...this.#inForce(), { permission: this.#permissionOf(asked), untilMs }];
  }

  #permissionOf(asked: { readonly path: string } | { readonly pid: number }): Permission {
    if ('path' in asked) return asked;
    const job = this.#jobOf(asked.pid);
    if (job === undefined) throw new Error(`there is no process ${asked.pid}`);
    return { group: job.group };
  }

  #isAllowed(group: number, path: string): boolean {
    this.#permissions = this.#inForce();
    return this.#permissions.some(({ permission }) =>
      'group' in permission
        ? permission.group === group
        : `${path}/`.startsWith(permission.path.replace(/\/*$/, '/')),
    );
  }

  #inForce(): readonly Granted[] {
    const now = this.#clock.elapsed();
    return this.#permissions.filter(({ untilMs }) => now < untilMs);
  }

  /** Notes a deletion and answers how many the program has had in the last minute; above the limit it counts no further. */
  #count(group: number, limit: number): number {
    const now = this.#clock.elapsed();
    const had = this.#recent.get(group);
    if (had === undefined) this.#forgetQuiet(now);
    const recent = [...(had ?? []), now].filter((ms) => now - ms < WINDOW_MS).slice(-limit - 1);
    this.#recent.set(group, recent);
    return recent.length;
  }

  #forgetQuiet(now: number): void {
    for (const [group, times] of this.#recent)
      if (now - (times.at(-1) ?? 0) >= WINDOW_MS) this.#recent.delete(group);
  }
}

const NOBODY = { group: UNKNOWN, process: UNKNOWN } as const;
