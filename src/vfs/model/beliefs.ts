import type { Api } from '../../api/api.ts';

export interface BeliefsSnapshot {
  /** The limit is spent: what has expired is believed now. */
  readonly now: boolean;
  /** Answers to programs by what had expired, since the mount began. */
  readonly answers: number;
}

/**
 * Whether facts are believed beyond their time. They are while the rate limit is spent and a program only looks: it
 * would wait for minutes, and most of what is known is still so.
 */
export class Beliefs {
  readonly #api: Pick<Api, 'isSpent'>;
  #answers = 0;

  constructor(api: Pick<Api, 'isSpent'>) {
    this.#api = api;
  }

  /** For an answer by facts that have expired, which is counted. */
  believes(): boolean {
    const isSpent = this.#api.isSpent();
    if (isSpent) this.#answers += 1;
    return isSpent;
  }

  snapshot(): BeliefsSnapshot {
    return { now: this.#api.isSpent(), answers: this.#answers };
  }
}
