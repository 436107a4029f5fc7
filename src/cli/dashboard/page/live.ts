import { useEffect, useState } from 'preact/hooks';
import type { HistoryView, MountDetails, Overview } from '../page-model.ts';

export interface Live {
  readonly overview: Overview | undefined;
  /** Of the mount that was asked for, or of the first. */
  readonly mount: MountDetails | undefined;
  readonly history: HistoryView | undefined;
  /** False: the server is gone, or has not answered yet. */
  readonly connected: boolean;
}

const NOTHING: Live = { overview: undefined, mount: undefined, history: undefined, connected: false };

/** What the server tells, as it changes. */
export function useLive(mountId: string | undefined): Live {
  const [live, setLive] = useState<Live>(NOTHING);
  useEffect(() => {
    const query = mountId === undefined ? '' : `?mount=${encodeURIComponent(mountId)}`;
    const source = new EventSource(`events${query}`);
    const learn = (part: Partial<Live>): void => setLive((before) => ({ ...before, ...part }));
    source.onopen = () => learn({ connected: true });
    source.onerror = () => learn({ connected: false });
    source.addEventListener('overview', ({ data }) => learn({ overview: JSON.parse(data) as Overview }));
    source.addEventListener('mount', ({ data }) => learn({ mount: JSON.parse(data) as MountDetails }));
    source.addEventListener('history', ({ data }) => learn({ history: JSON.parse(data) as HistoryView }));
    return () => source.close();
  }, [mountId]);
  return live;
}

/** The mount that the address names (`#name`), and a way to follow it there. */
export function useChosenMount(): string | undefined {
  const [chosen, setChosen] = useState(chosenNow);
  useEffect(() => {
    const follow = (): void => setChosen(chosenNow());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return chosen;
}

function chosenNow(): string | undefined {
  const hash = decodeURIComponent(location.hash.slice(1));
  return hash === '' ? undefined : hash;
}
