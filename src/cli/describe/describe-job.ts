import type { JobRecord } from '../../jobs/ports.ts';
import { printable } from '../../lib/printable.ts';

/** One line: `ID export running /projects/… -> /volumes/…`. */
export function describeJob({ id, kind, state, source, target, failure }: JobRecord): string {
  const where = target === undefined ? source : `${source} -> ${target}`;
  const why = failure === undefined ? '' : ` (${failure.message}, code ${failure.code})`;
  return printable(`${id} ${kind} ${state} ${where}${why}`);
}
