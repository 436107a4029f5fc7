import { forEachAtOnce } from '../../lib/for-each-at-once.ts';

/** Looks at files that would be replaced, side by side. */
const LOOKS_AT_ONCE = 8;

/** A file to be carried, and whether it may take the place of another one. */
export interface Candidate<C> {
  readonly wanted: C;
  /** True, or why that which is there is left alone; undefined: nothing is there. */
  readonly may: (() => Promise<true | string>) | undefined;
}

/** Those that go, in their order. `asks`: a person is asked about one after the other. */
export async function decide<C>(
  candidates: readonly Candidate<C>[],
  { asks, onSkipped }: { readonly asks: boolean; readonly onSkipped: (wanted: C, reason: string) => void },
): Promise<readonly C[]> {
  const verdicts = new Map<Candidate<C>, true | string>();
  await forEachAtOnce(candidates, asks ? 1 : LOOKS_AT_ONCE, async (candidate) => {
    verdicts.set(candidate, (await candidate.may?.()) ?? true);
  });
  return candidates.flatMap((candidate) => {
    const verdict = verdicts.get(candidate) ?? true;
    if (verdict === true) return [candidate.wanted];
    onSkipped(candidate.wanted, verdict);
    return [];
  });
}
