import { printable } from '../../lib/printable.ts';
import type { Failure } from '../../vfs/errors/error-registry.ts';

/** Two lines for a person: which operation failed and how long ago, and why. */
export function describeFailure({ atMs, op, attribute, path, target, text }: Failure, nowMs: number): string {
  const what = attribute === undefined ? op : `${op} ${attribute}`;
  const where = target === undefined ? path : `${path} to ${target}`;
  const when = new Date(atMs).toISOString();
  return `${ago(nowMs - atMs)} ago, ${when}: ${printable(`${what} ${where}`)}\n${text.split('\n').map(printable).join('\n')}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

function ago(ms: number): string {
  for (const [unit, size] of UNITS) if (ms >= size) return `${Math.floor(ms / size)} ${unit}`;
  return 'less than 1 s';
}
