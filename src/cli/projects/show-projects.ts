import type { ProjectSummary } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { collect, pagesInOrder } from '../../lib/pages-in-order.ts';
import { printFacts } from '../describe/print-facts.ts';
import { printJson, printTable } from '../describe/print-table.ts';
import { onItem } from '../platform/find-item.ts';
import type { Context } from '../platform/find-places.ts';
import { onPlatform } from '../platform/reach-platform.ts';
import { describeProject, projectLines, timeOf } from './describe-project.ts';

export interface ListProjectsOptions {
  readonly name?: string | undefined;
  readonly json: boolean;
}

/** Lists the projects that the user is a member of: 100 a request. */
export async function listProjects({ name, json }: ListProjectsOptions, context: Context): Promise<void> {
  await onPlatform(context, async ({ platform: { api } }) => {
    const pages = pagesInOrder<ProjectSummary>(
      (page, signal) => api.projects.list({ ...page, name }, { signal }),
      { what: 'the list of projects', limit: PAGE_LIMIT_MAX, signal: context.signal },
    );
    const projects = await collect(pages);
    if (json) {
      printJson(
        projects.map((each) => ({
          id: each.id,
          name: each.name,
          created_by: each.createdBy,
          created_on: timeOf(each.createdMs),
        })),
      );
      return;
    }
    printTable(
      projects,
      {
        PROJECT: ({ id }) => id,
        NAME: (each) => each.name,
        CREATED: ({ createdMs }) => timeOf(createdMs) ?? null,
      },
      name === undefined
        ? 'there is no project yet: svcfs project create NAME makes one'
        : 'no project has that in its name',
    );
  });
}

export async function showProject(
  given: string,
  { json }: { readonly json: boolean },
  context: Context,
): Promise<void> {
  await onItem('projects', given, context, async ({ platform: { api }, id }) => {
    const project = await api.projects.get(id, { signal: context.signal });
    if (json) printJson(describeProject(project));
    else printFacts(projectLines(project));
  });
}
