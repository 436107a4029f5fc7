import type { Queue, QueueAddOptions } from 'p-queue';

type Work = () => Promise<unknown>;

export interface LaneOptions extends QueueAddOptions {
  /** The owner of the work: lanes take turns. */
  readonly lane?: string;
}

/** First come, first served within a lane; one after the other between lanes. */
export class FairQueue implements Queue<Work, LaneOptions> {
  /** In the order of their turns: the lane that was served last is at the end. */
  readonly #lanes = new Map<string, Work[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  enqueue(work: Work, options?: Partial<LaneOptions>): void {
    const lane = options?.lane ?? '';
    const waiting = this.#lanes.get(lane);
    if (waiting === undefined) this.#lanes.set(lane, [work]);
    else waiting.push(work);
    this.#size += 1;
  }

  dequeue(): Work | undefined {
    const [turn] = this.#lanes;
    if (turn === undefined) return undefined;
    const [lane, waiting] = turn;
    const work = waiting.shift();
    this.#size -= 1;
    this.#lanes.delete(lane);
    if (waiting.length > 0) this.#lanes.set(lane, waiting);
    return work;
  }

  filter(): Work[] {
    return [...this.#lanes.values()].flat();
  }

  /** Lanes are the only order here. */
  setPriority(): void {}
}
