import type { ServicesOptions } from '../service-config.ts';
import type { Services } from '../services.ts';
import { PostgresNews } from '../store/postgres-news.ts';

/**
 * Lets the processes on one database hear of each other's jobs.
 *
 * @returns To be closed before the store; undefined on SQLite, which carries no news
 */
export async function shareJobNews(
  { jobSignals, logger, clock }: Services,
  { databaseUrl }: ServicesOptions,
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
