import { useState } from 'preact/hooks';
import { type Done, post } from './post.ts';

/**
 * A deed at a time, and what became of the last. `onDone` is told, too: what the deed was about may be gone from the page by
 * then, and the words with it.
 */
export function useDeed(onDone?: (done: Done) => void) {
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<Done | undefined>(undefined);
  const run = async (deed: string, body: Readonly<Record<string, unknown>>): Promise<void> => {
    setBusy(true);
    setDone(undefined);
    const became = await post(deed, body);
    setDone(became);
    onDone?.(became);
    setBusy(false);
  };
  return { isBusy, done, run };
}

interface OutcomeProps {
  readonly isBusy: boolean;
  readonly done: Done | undefined;
}

/** Told to a screen reader when it comes. */
export function Outcome({ isBusy, done }: OutcomeProps) {
  return (
    <p role="status" class={done === undefined || done.ok ? 'outcome' : 'outcome bad-text'}>
      {isBusy ? 'Under way…' : done?.text}
    </p>
  );
}
