import { nameOfLine } from '../line.ts';
import type { Results } from '../report/results.ts';
import { short } from '../report/table.ts';
import type { Contestant, Family, Stage } from '../stage.ts';

interface Measuring {
  readonly results: Results;
  /** Parts of names: only contestants that have one of them. */
  readonly peers: readonly string[] | undefined;
}

/** Contestants take turns, run by run, so that a disturbance of the machine meets all of them. */
export async function measureFamily(
  family: Family,
  stage: Stage,
  { results, peers }: Measuring,
): Promise<void> {
  const line = nameOfLine(stage.line);
  const all = await family.contestants(stage);
  const contestants = all.filter(({ peer }) => peers?.some((part) => peer.includes(part)) ?? true);
  const failed = new Set<Contestant>();
  const runs = Math.min(stage.sizes.runs * (family.trialsARun ?? 1), family.mostRuns ?? Infinity);
  for (let run = 1; run <= runs; run += 1) {
    for (const contestant of inTurn(contestants, run)) {
      if (failed.has(contestant)) continue;
      await measureTrial(family, { contestant, stage, results }).catch((error: Error) => {
        failed.add(contestant);
        const failure = { family: family.name, line, peer: contestant.peer, reason: error.message };
        results.fail(failure, family.rows);
        console.error(`${family.name}, ${line}, ${contestant.peer}: ${error.stack}`);
      });
    }
  }
}

/** Each run begins with another. */
function inTurn<T>(all: readonly T[], run: number): readonly T[] {
  const first = (run - 1) % Math.max(1, all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}

async function measureTrial(
  family: Family,
  {
    contestant,
    stage,
    results,
  }: { readonly contestant: Contestant; readonly stage: Stage; readonly results: Results },
): Promise<void> {
  const line = nameOfLine(stage.line);
  const samples = await contestant.trial();
  for (const row of family.rows) {
    const sample = samples[row.name];
    if (sample === undefined) continue;
    results.add(row, line, contestant.peer, sample);
    console.error(`${row.name}, ${line}, ${contestant.peer}: ${short(sample.value)} ${row.unit}`);
  }
}
