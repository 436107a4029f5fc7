import { printable } from '../../lib/printable.ts';
import { type Applied, applyPlans } from '../../metadata/apply/apply-plans.ts';
import { isFailure, type RowResult } from '../../metadata/apply/results.ts';
import type { RowPlan } from '../../metadata/plan/row-plan.ts';
import { CliError } from '../exit-codes.ts';
import type { Platform } from '../platform/platform.ts';

const FAILURES_TOLD = 20;
const ERASE_LINE = '\r\x1b[K';

/** Sends the changes, and shows on a terminal how far that is. */
export async function sendPlans(
  plans: readonly RowPlan[],
  { api, onChanged }: Platform,
  signal: AbortSignal,
): Promise<Applied> {
  const { stderr } = process;
  const show = (text: string): void => void (stderr.isTTY && stderr.write(`${ERASE_LINE}${text}`));
  const sayEnding = (): void =>
    console.error('svcfs: ending after this request; a second Ctrl-C ends at once');
  signal.addEventListener('abort', sayEnding, { once: true });
  const applied = await applyPlans(plans, {
    api,
    signal,
    onProgress: (done, total) => show(`${done} of ${total} files`),
    onChanged,
  });
  signal.removeEventListener('abort', sayEnding);
  show('');
  return applied;
}

/** Tells how many files became what, and why some did not. */
export function tellResults({ results, stopped }: Applied): void {
  const failures = results.filter(isFailure);
  // Why a whole call failed is told once, at the end.
  const told = failures.filter(
    ({ outcome }) => outcome !== 'not sent' && (stopped === undefined || outcome !== 'failed'),
  );
  for (const { plan, outcome, detail } of told.slice(0, FAILURES_TOLD))
    console.error(`svcfs: ${printable(plan.path)}: ${outcome}${detail ? `: ${printable(detail)}` : ''}`);
  if (told.length > FAILURES_TOLD) console.error(`svcfs: and ${told.length - FAILURES_TOLD} more`);
  console.log(summary(results));
}

/** Throws when some files are not as they were to be. */
export function requireDone({ results, stopped }: Applied, platform: Platform): void {
  const failures = results.filter(isFailure);
  if (stopped !== undefined) throw platform.explain(stopped) ?? stopped;
  if (failures.length > 0) {
    const files = failures.length === 1 ? '1 file' : `${failures.length} files`;
    throw new CliError('failure', `${files} could not be changed`);
  }
}

function summary(results: readonly RowResult[]): string {
  const count = (wanted: (result: RowResult) => boolean): number => results.filter(wanted).length;
  const counts = [
    [count(({ outcome }) => outcome === 'done'), 'changed'],
    [count(({ outcome }) => outcome === 'unchanged'), 'unchanged'],
    [count(({ outcome }) => outcome === 'conflict'), 'in conflict'],
    [count(({ outcome }) => outcome.startsWith('failed')), 'failed'],
    [count(({ outcome }) => outcome === 'not sent'), 'not sent'],
  ] as const;
  const parts = counts.filter(([number, word]) => number > 0 || word === 'changed');
  const total = results.length === 1 ? '1 file' : `${results.length} files`;
  return `${total}: ${parts.map(([number, word]) => `${number} ${word}`).join(', ')}`;
}
