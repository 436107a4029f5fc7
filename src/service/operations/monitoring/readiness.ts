import type { HasClock } from '../../../lib/clock.ts';
import type { HasLogger } from '../../../observe/logger.ts';
import type { HasClosing } from '../../http/hang-up-signal.ts';
import type { HasBlobs } from '../../storage/blobs/blob-store.ts';
import type { HasStore } from '../../store/store.ts';

type Checked = HasStore & HasBlobs & HasClosing & HasClock & HasLogger;

/** The state of each part of the service; `ready` when all work. */
export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<'database' | 'migrations' | 'blobs' | 'process', string>>;
}

const CHECK_MS = 5000;
/**
 * A caller that asks more often gets the same answer again: everybody may ask, and each new answer costs a look at the
 * database.
 */
const REMEMBERED_MS = 1000;
const OK = 'ok';

/** Whether calls should be sent to this process. */
export class Readiness {
  readonly #services: Checked;
  #last: { readonly at: number; readonly report: Promise<ReadinessReport> } | undefined;

  constructor(services: Checked) {
    this.#services = services;
  }

  async report(): Promise<ReadinessReport> {
    const { closing, clock } = this.#services;
    if (closing.aborted) return reportOf({ ...UNKNOWN, process: 'shutting down' });
    const now = clock.elapsed();
    if (this.#last === undefined || now - this.#last.at >= REMEMBERED_MS) {
      this.#last = { at: now, report: this.#check() };
    }
    return this.#last.report;
  }

  async #check(): Promise<ReadinessReport> {
    const { store, blobs, logger } = this.#services;
    const within = async <Result>(what: string, work: Promise<Result>): Promise<Result | undefined> => {
      try {
        return await inTime(work);
      } catch (error) {
        logger.warn({ what, err: error }, 'not ready');
        return undefined;
      }
    };
    const [current, kept] = await Promise.all([
      within('database', store.isCurrent()),
      within(
        'blobs',
        blobs.probe().then(() => true),
      ),
    ]);
    return reportOf({
      database: current === undefined ? 'unreachable' : OK,
      migrations: current === undefined ? 'unknown' : current ? OK : 'missing',
      blobs: kept === true ? OK : 'unreachable',
      process: OK,
    });
  }
}

const UNKNOWN = { database: 'unknown', migrations: 'unknown', blobs: 'unknown' };

function reportOf(checks: ReadinessReport['checks']): ReadinessReport {
  return { ready: Object.values(checks).every((check) => check === OK), checks };
}

/** Of real time: it is the machine that is waited for. */
async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_MS} ms`)), CHECK_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
