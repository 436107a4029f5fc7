import { LRUCache } from 'lru-cache';
import { StorageError } from '../errors.ts';
import type { RangeExchange, SliceProgress } from './range-exchange.ts';
import { followRedirects, StoreRedirect } from './redirect.ts';
import { mayPass } from './store-answer.ts';

/** More links are hardly read at one time, and one that is forgotten costs a redirect. */
const MOST_LINKS = 500;

/**
 * Exchanges that follow redirects. Where a link last led to an answer, its next ranges are asked for at once; when none
 * comes from there, they begin at the link again.
 */
export function redirectedRangeExchange(exchange: RangeExchange): RangeExchange {
  const ledTo = new LRUCache<string, URL>({ max: MOST_LINKS });
  return async (slice, signal) => {
    const link = slice.url.href;
    const exchangeAt = async (url: URL): Promise<SliceProgress> => {
      const onAnswer: typeof slice.onAnswer = (answer) => {
        if (url !== slice.url) ledTo.set(link, url);
        slice.onAnswer(answer);
      };
      const progress = await exchange({ ...slice, url, onAnswer }, signal);
      if (progress.error instanceof StoreRedirect) throw progress.error;
      return progress;
    };
    const follow = async (from: URL): Promise<SliceProgress> => {
      const progress = await followRedirects(from, exchangeAt).catch(nothingBecause);
      if (progress.answer === undefined && !signal?.aborted) ledTo.delete(link);
      return progress;
    };
    const known = ledTo.get(link);
    if (known === undefined) return follow(slice.url);
    const progress = await follow(known);
    return isRefusal(progress) && !signal?.aborted ? follow(slice.url) : progress;
  };
}

/** The store has said no, and would again: that may be so only where the link led to before. */
function isRefusal({ answer, error }: SliceProgress): boolean {
  return (
    answer === undefined && error instanceof StorageError && error.status !== undefined && !mayPass(error)
  );
}

function nothingBecause(error: unknown): SliceProgress {
  return { receivedBytes: 0, answer: undefined, error };
}
