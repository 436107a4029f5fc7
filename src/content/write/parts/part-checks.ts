/**
 * Whether parts arrived as they were sent: compares the store's MD5 with ours.
 *
 * Our MD5 costs a fifth when several parts are hashed together (`lib/md5-lanes.ts`), so sent parts wait for others. They
 * do not wait while their file is being closed, when they hold too much memory, or when no other part came for a while.
 */
import type { Clock } from '../../../lib/clock.ts';
import { createMd5, type Md5 } from '../../../lib/md5.ts';

export interface PartChecksOptions {
  readonly clock: Clock;
  /** The most bytes that sent parts may hold while they wait. */
  readonly mostWaitingBytes: number;
}

/** One part that is being sent. */
export interface PartCheck {
  /** Whether the bytes are those of this MD5 in hex. `urgent`: someone waits for the answer. */
  matches(md5: string, urgent: boolean): Promise<boolean>;
  /** Its answer is of no use any more. */
  drop(): void;
}

const LONGEST_WAIT_MS = 1000;
/** Hashed in a millisecond or less: nothing to wait for. */
const SMALL_BYTES = 512 * 1024;

export class PartChecks {
  readonly #options: PartChecksOptions;
  /** Of parts that were sent, and how many bytes each holds. */
  readonly #waiting = new Map<Md5, number>();
  #alarmed = false;

  constructor(options: PartChecksOptions) {
    this.#options = options;
  }

  /** The bytes must not change until the check has ended. */
  begin(body: Uint8Array): PartCheck {
    const md5 = createMd5();
    const digest = md5.end(body);
    return {
      matches: async (expected, urgent) => {
        this.#waiting.set(md5, body.length);
        if (urgent || body.length <= SMALL_BYTES || this.#waitingBytes >= this.#options.mostWaitingBytes)
          this.hurry();
        else this.#hurryLater();
        try {
          return (await digest) === expected;
        } finally {
          this.#waiting.delete(md5);
        }
      },
      drop: () => md5.hurry(),
    };
  }

  /** Someone waits for parts that were sent. */
  hurry(): void {
    for (const md5 of this.#waiting.keys()) md5.hurry();
  }

  get #waitingBytes(): number {
    let bytes = 0;
    for (const each of this.#waiting.values()) bytes += each;
    return bytes;
  }

  #hurryLater(): void {
    if (this.#alarmed) return;
    this.#alarmed = true;
    void this.#options.clock.sleep(LONGEST_WAIT_MS).then(() => {
      this.#alarmed = false;
      this.hurry();
    });
  }
}
