import { errorCode } from '../../lib/error-code.ts';
import { messageOf } from '../../lib/message-of.ts';

/** Files and folders of a cache that could not be looked at or removed. */
export interface ObstacleReport {
  readonly count: number;
  /** Of the first. */
  readonly reason: string;
}

/** Passes over what cannot be done, because of the disk or another user's permissions, and keeps count of it. */
export class Obstacles {
  #report: ObstacleReport | undefined;

  /** Undefined: there were none. */
  get report(): ObstacleReport | undefined {
    return this.#report;
  }

  /** Undefined: it failed. An entry that is gone is no obstacle: other processes remove entries meanwhile. */
  async passing<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#add(error);
      return undefined;
    }
  }

  #add(error: unknown): void {
    const { count, reason } = this.#report ?? { count: 0, reason: messageOf(error) };
    this.#report = { count: count + 1, reason };
  }
}

/** For a failure of the whole. */
export function obstacle(error: unknown): ObstacleReport {
  return { count: 1, reason: messageOf(error) };
}
