import { Durations, type DurationsSnapshot } from './durations.ts';

type Kind = 'range' | 'part';
type End = 'done' | 'failed' | 'given_up';

/** Ranges that were read of stores, or parts that were sent to them. */
export interface TransfersSnapshot {
  readonly bytes: number;
  /** By how they ended: with all their tries. */
  readonly ends: Readonly<Record<End, number>>;
  /** Of those that were done. */
  readonly durations: DurationsSnapshot;
}

export type StoresSnapshot = Readonly<Record<Kind, TransfersSnapshot>> & {
  /** Of ranges, until the store answered. */
  readonly firstByte: DurationsSnapshot;
  /** Exchanges that failed and were made anew. */
  readonly retries: number;
};

class Transfers {
  readonly durations = new Durations();
  readonly ends: Record<End, number> = { done: 0, failed: 0, given_up: 0 };
  bytes = 0;

  snapshot(): TransfersSnapshot {
    return { bytes: this.bytes, ends: { ...this.ends }, durations: this.durations.snapshot() };
  }
}

interface EndedTransfer {
  readonly kind: Kind;
  readonly bytes: number;
  readonly ms: number;
  readonly firstByteMs: number | undefined;
  readonly end: End;
}

/** What was moved from and to stores. */
export class TransferCounts {
  readonly #of: Readonly<Record<Kind, Transfers>> = { range: new Transfers(), part: new Transfers() };
  readonly #firstByte = new Durations();
  #retries = 0;

  readonly add = ({ kind, bytes, ms, firstByteMs, end }: EndedTransfer): void => {
    const counted = this.#of[kind];
    counted.bytes += bytes;
    counted.ends[end] += 1;
    if (end === 'done') counted.durations.add(ms);
    if (firstByteMs !== undefined) this.#firstByte.add(firstByteMs);
  };

  readonly addRetry = (): void => {
    this.#retries += 1;
  };

  snapshot(): StoresSnapshot {
    const { range, part } = this.#of;
    return {
      range: range.snapshot(),
      part: part.snapshot(),
      firstByte: this.#firstByte.snapshot(),
      retries: this.#retries,
    };
  }
}
