import { messageOf } from '../../lib/message-of.ts';
import type { Examination } from './examine.ts';

export interface Fixed {
  readonly check: string;
  /** Undefined: it was done. */
  readonly failure: string | undefined;
}

/** Does what the findings offer to have done. */
export async function fixAll(examination: Examination): Promise<readonly Fixed[]> {
  const done: Fixed[] = [];
  for (const { check, found, fix } of Object.values(examination).flat()) {
    if (fix === undefined) continue;
    const failure = await fix().then(() => undefined, messageOf);
    done.push({ check: `${check}: ${found}`, failure });
  }
  return done;
}
