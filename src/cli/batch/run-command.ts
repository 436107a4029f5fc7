import type { ByteCarrier } from '../../batch/run/run-context.ts';
import { runSteps } from '../../batch/run/run-steps.ts';
import type { Step } from '../../batch/step.ts';
import type { Touched } from '../../batch/touched.ts';
import { systemClock } from '../../lib/clock.ts';
import type { LearntEntries } from '../../vfs/listing/learn-entries.ts';
import type { Platform } from '../platform/platform.ts';
import type { Report, ReportOptions } from './report.ts';
import { costOf, sayPlan } from './say-plan.ts';

export interface BatchOptions extends ReportOptions {
  readonly dryRun: boolean;
  /** Whether exports and imports are waited for. Default true. */
  readonly wait?: boolean;
}

export interface Planned {
  readonly steps: readonly Step[];
  /** In the past tense. */
  readonly verb: string;
  readonly platform: Platform;
  readonly report: Report;
  /** Where bytes are carried. */
  readonly carrier?: ByteCarrier | undefined;
}

/** Runs the steps of a command, or says what they would cost. The report tells the rest. */
export async function runCommand(
  { steps, verb, platform, report, carrier }: Planned,
  options: BatchOptions,
  signal: AbortSignal,
): Promise<void> {
  if (options.dryRun) {
    const cost = await costOf(steps, platform, signal);
    await sayPlan(steps, cost, { verb, platform, options });
    return report.end(undefined, undefined);
  }
  report.begin(steps, platform, carrier !== undefined);
  const sayEnding = (): void => {
    console.error('svcfs: ending after the calls under way; a second Ctrl-C ends at once');
  };
  signal.addEventListener('abort', sayEnding, { once: true });
  const stopped = await runSteps(steps, {
    api: platform.api,
    clock: systemClock,
    signal,
    waits: options.wait ?? true,
    onOutcome: report.onOutcome,
    onProgress: report.onProgress,
    carrier,
    onTouched: (touched) => platform.onEntriesChanged(byDirectory(touched)),
  });
  signal.removeEventListener('abort', sayEnding);
  report.end(stopped, platform);
}

function byDirectory(touched: readonly Touched[]): readonly LearntEntries[] {
  const found = new Map<string, { readonly directory: Touched['directory']; readonly names: Set<string> }>();
  for (const { directory, name } of touched) {
    const key = JSON.stringify(directory);
    const known = found.get(key) ?? { directory, names: new Set() };
    found.set(key, known);
    known.names.add(name);
  }
  return [...found.values()].map(({ directory, names }) => ({ directory, names: [...names] }));
}
