/**
 * The audit log: the user, the act, the time, the object, the address and the outcome.
 *
 * A call is recorded after its answer, so that no caller waits for it. Entries that come while others are being written
 * go with the next statement. So an orderly end loses nothing. A process that is killed loses the entries since its last
 * statement began: some milliseconds, or as long as the database has been away. Acts of a job or an operator are recorded
 * in their own transaction, and cannot be lost.
 *
 * While the database is away entries wait in memory. When too many wait, the oldest go to the process's own log instead.
 */
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../observe/logger.ts';
import type { Store } from '../../store/store.ts';
import { type AuditContext, type AuditedAct, auditEntries } from './audit-entry.ts';
import type { AuditRow } from './audit-table.ts';
import { auditIn } from './audit-table.ts';

const WAITING_MAX = 10_000;
const PAUSE_MS = 1000;

export interface AuditTrailOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class AuditTrail {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  #waiting: AuditRow[] = [];
  #sequence = 0;
  #writing: Promise<void> | undefined;

  constructor({ store, clock, logger }: AuditTrailOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Never fails, and does not wait. */
  record(context: AuditContext, acts: readonly AuditedAct[]): void {
    this.#sequence += 1;
    this.#waiting.push(...auditEntries({ ...context, sequence: this.#sequence }, acts));
    this.#giveUp(Math.max(0, this.#waiting.length - WAITING_MAX));
    if (this.#waiting.length > 0) this.#writing ??= this.#write();
  }

  /** Resolves when everything recorded before is in the database. */
  async written(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  /** Writes what waits. Call it before the store is closed. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.written();
  }

  /**
   * Call it when something waits. That nothing does any more and that nobody writes come true at once: between the two an
   * entry would be left behind.
   */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const entries = this.#waiting;
      this.#waiting = [];
      try {
        await auditIn(this.#store).append(entries);
      } catch (err) {
        this.#waiting = [...entries, ...this.#waiting];
        this.#logger.warn({ err, waiting: this.#waiting.length }, 'audit entries not written');
        if (this.#closing.signal.aborted) this.#giveUp(this.#waiting.length);
        await this.#clock.sleep(PAUSE_MS, this.#closing.signal).catch(() => undefined);
      }
    }
    this.#writing = undefined;
  }

  #giveUp(count: number): void {
    for (const entry of this.#waiting.splice(0, count))
      this.#logger.error({ ...entry }, 'audit entry not written');
  }
}

export interface HasAuditTrail {
  readonly auditTrail: AuditTrail;
}
