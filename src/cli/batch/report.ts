import type { Item, Outcome } from '../../batch/item.ts';
import { type Step, toldItems } from '../../batch/step.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { printable } from '../../lib/printable.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Platform } from '../platform/platform.ts';
import { circumstancesAndBudget } from '../progress/describe-circumstances.ts';
import { ShownProgress } from '../progress/show-progress.ts';
import type { Amount } from '../progress/standing.ts';

export interface ReportOptions {
  readonly verbose: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Tells what becomes of each item, how far all is, and at the end what was done. */
export class Report {
  /** In the past tense: `removed`. */
  readonly #verb: string;
  readonly #options: ReportOptions;
  readonly #counts = { done: 0, started: 0, skipped: 0, failed: 0, 'not sent': 0, 'goes on': 0 };
  /** Of items under way, told as progress. */
  readonly #carried = new Map<Item, number>();
  #bytes = 0;
  #over: Amount = { items: 0, bytes: 0 };
  #progress: ShownProgress | undefined;

  constructor(verb: string, options: ReportOptions) {
    this.#verb = verb;
    this.#options = options;
  }

  /** Shows how far the steps are from now on. `carries`: bytes take the time, not calls. */
  begin(steps: readonly Step[], platform: Pick<Platform, 'connection'>, carries: boolean): void {
    const all = steps.flatMap(toldItems);
    if (all.length === 0) return;
    const total = { items: all.length, bytes: all.reduce((sum, { bytes = 0 }) => sum + bytes, 0) };
    const pace = carries ? 'bytes' : 'items';
    this.#progress = new ShownProgress(async (ended) => {
      const circumstances = circumstancesAndBudget(await platform.connection(ended), Date.now());
      return { done: this.#over, total, items: 'items', pace, ...circumstances };
    }, this.#options);
  }

  readonly onOutcome = (item: Item, outcome: Outcome): void => {
    const { source, target, bytes = 0 } = item;
    this.#counts[outcome.kind] += 1;
    if (outcome.kind === 'done') this.#bytes += bytes;
    this.#add({ items: 1, bytes: bytes - (this.#carried.get(item) ?? 0) });
    this.#carried.delete(item);
    const reason = 'reason' in outcome ? outcome.reason : undefined;
    if (this.#options.json) {
      const job = outcome.kind === 'started' ? outcome.job : undefined;
      this.#print(JSON.stringify({ source, target, bytes: item.bytes, result: outcome.kind, reason, job }));
      return;
    }
    if (reason !== undefined && outcome.kind !== 'skipped')
      this.#tell(`svcfs: ${printable(source)}: ${TOLD[outcome.kind] ?? ''}${printable(reason)}`);
    else if (outcome.kind === 'started')
      this.#print([outcome.job, source, target ?? ''].map(printable).join('\t'));
    else if (this.#options.verbose && outcome.kind !== 'not sent')
      this.#print(`${describe(this.#verb, item, outcome)}`);
  };

  /** Some of an item's bytes are carried. */
  readonly onProgress = (item: Item, bytes: number): void => {
    this.#carried.set(item, (this.#carried.get(item) ?? 0) + bytes);
    this.#add({ items: 0, bytes });
  };

  /** One that cannot be come to. */
  fail(source: string, reason: string): void {
    this.onOutcome({ source }, { kind: 'failed', reason });
  }

  /** Sets the exit code. @throws the failure of the service, or the interrupt, that ended it early */
  end(stopped: unknown, platform: Platform | undefined): void {
    this.#progress?.end();
    const { done, started, skipped, failed } = this.#counts;
    const missed = failed + this.#counts['not sent'] + this.#counts['goes on'];
    const isTold = stopped !== undefined || (missed > 0 && done + started + skipped > 0) || this.#tellsAll();
    if (isTold) console.error(`svcfs: ${this.#summary(platform)}`);
    if (stopped !== undefined) throw platform?.explain(stopped) ?? stopped;
    // The reasons were told.
    if (missed > 0) process.exitCode = EXIT_CODES.failure.code;
  }

  #add({ items, bytes }: Amount): void {
    this.#over = { items: this.#over.items + items, bytes: this.#over.bytes + bytes };
  }

  #tellsAll(): boolean {
    const { quiet, json } = this.#options;
    return process.stderr.isTTY === true && !quiet && !json;
  }

  #summary(platform: Platform | undefined): string {
    const size = this.#bytes > 0 ? ` (${describeSize(this.#bytes)})` : '';
    const parts = [
      `${this.#counts.done} ${this.#verb}${size}`,
      ...(['started', 'skipped', 'failed', 'not sent', 'goes on'] as const).flatMap((kind) =>
        this.#counts[kind] > 0 ? [`${this.#counts[kind]} ${WORDS[kind]}`] : [],
      ),
      ...(platform === undefined ? [] : [requests(platform.calls())]),
    ];
    return parts.join(', ');
  }

  #print(line: string): void {
    this.#progress?.makeRoom();
    console.log(line);
  }

  #tell(line: string): void {
    this.#progress?.makeRoom();
    console.error(line);
  }
}

/** Before the reason. */
const TOLD: Partial<Record<Outcome['kind'], string>> = { 'not sent': 'not done: ' };

const WORDS = {
  started: 'started',
  skipped: 'left as they are',
  failed: 'failed',
  'not sent': 'not sent',
  'goes on': 'still under way at the platform',
} as const;

export function requests(count: number): string {
  return count === 1 ? '1 request' : `${count.toLocaleString('en')} requests`;
}

function describe(verb: string, { source, target }: Item, outcome: Outcome): string {
  const names = target === undefined ? `'${source}'` : `'${source}' -> '${target}'`;
  const what = outcome.kind === 'skipped' ? `left alone (${outcome.reason})` : verb;
  return printable(`${what} ${names}`);
}
