import type { AppSearch } from '../../api/compute.ts';
import type { AppSummary } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { collect, pagesInOrder } from '../../lib/pages-in-order.ts';
import { printJson, printTable } from '../describe/print-table.ts';
import { onItem } from '../platform/find-item.ts';
import type { Context } from '../platform/find-places.ts';
import type { Platform } from '../platform/platform.ts';
import { onPlatform } from '../platform/reach-platform.ts';

export interface ListAppsOptions {
  readonly public: boolean;
  readonly owner?: string | undefined;
  readonly search?: string | undefined;
  readonly json: boolean;
}

/** Lists apps: of a project, of all projects that the user sees, or public ones. */
export async function listApps(
  given: string | undefined,
  options: ListAppsOptions,
  context: Context,
): Promise<void> {
  const list = async (platform: Platform, project: string | undefined): Promise<void> => {
    const { owner: projectOwner, search: terms } = options;
    const visibility = options.public ? 'public' : undefined;
    const apps = await appsOf(platform, { project, projectOwner, terms, visibility }, context.signal);
    if (options.json) printJson(apps);
    else printTable(apps, { APP: ({ id }) => id, NAME: ({ name }) => name }, 'no app fits');
  };
  if (given === undefined) await onPlatform(context, ({ platform }) => list(platform, undefined));
  else await onItem('projects', given, context, ({ platform, id }) => list(platform, id));
}

export function appsOf(
  { api }: Platform,
  wanted: AppSearch,
  signal: AbortSignal,
): Promise<readonly AppSummary[]> {
  const pages = pagesInOrder<AppSummary>(
    (page, pageSignal) => api.apps.list(wanted, page, { signal: pageSignal }),
    { what: 'the list of apps', limit: PAGE_LIMIT_MAX, signal },
  );
  return collect(pages);
}
