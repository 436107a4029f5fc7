export interface Amount {
  readonly items: number;
  readonly bytes: number;
}

/** How far some work is. */
export interface Standing {
  readonly done: Amount;
  /** As far as it is known by now: more may be found. Without items: nobody knows how much there is. */
  readonly total: Amount;
  /** The name of the items. Default `files`. */
  readonly items?: string;
  /** The amount that takes the time. Default: bytes where there are any. */
  readonly pace?: keyof Amount;
  /** The conditions that it waits for now, the most important first. */
  readonly waits: readonly string[];
  /** Of what gives no answer, since when: told only while nothing gets further, for a long body is no silence. */
  readonly silence?: string | undefined;
}

/** Answers undefined when it cannot be told now. Nobody waits for the answer any more once the work has `ended`. */
export type ReadStanding = (ended: AbortSignal) => Promise<Standing | undefined>;

export function paceOf({ pace, total }: Standing): keyof Amount {
  return pace ?? (total.bytes > 0 ? 'bytes' : 'items');
}
