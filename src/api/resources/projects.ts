import type { ProjectsApi } from '../api.ts';
import { parsePage } from '../parse/page.ts';
import { parseProject, parseProjectSummary } from '../parse/project.ts';
import type { Caller } from '../transport/caller.ts';

export function projectsApi(call: Caller): ProjectsApi {
  return {
    list: ({ offset, limit }, options) =>
      call(
        {
          route: 'GET /projects',
          query: { offset, limit },
          parse: (_, answer) => parsePage(answer, offset, parseProjectSummary),
        },
        options,
      ),

    get: (id, options) => call({ route: 'GET /projects/{id}', path: { id }, parse: parseProject }, options),

    edit: (id, changes, options) =>
      call(
        { route: 'PATCH /projects/{id}', path: { id }, body: { json: changes }, parse: () => undefined },
        options,
      ),
  };
}
