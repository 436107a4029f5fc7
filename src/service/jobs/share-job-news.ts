import type { HasClock } from '../../lib/clock.ts';
import type { HasLogger } from '../../observe/logger.ts';
import { PostgresNews } from '../store/postgres-news.ts';
import type { HasJobSignals } from './job-signals.ts';

/**
 * Lets the processes on one database hear of each other's jobs.
 *
 * @returns To be closed before the store; undefined on SQLite, which carries no news
 */
export async function shareJobNews(
  { jobSignals, logger, clock }: HasJobSignals & HasClock & HasLogger,
  { databaseUrl }: { readonly databaseUrl?: string | undefined },
): Promise<PostgresNews | undefined> {
  if (databaseUrl === undefined) return undefined;
  const news = await PostgresNews.open({
    url: databaseUrl,
    onNews: (told) => {
      if (told !== 'changed') jobSignals.hear('work');
      if (told !== 'work') jobSignals.hear('changed');
    },
    logger,
    clock,
  });
  jobSignals.shareWith((told) => news.tell(told));
  return news;
}
