import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import type { ProjectsApi } from '../api.ts';
import type { CallOptions } from '../call-options.ts';
import { TransportError } from '../errors.ts';
import type { ProjectRecord } from '../model.ts';
import { parsePage } from '../parse/page.ts';
import { parseProject, parseProjectSummary } from '../parse/project.ts';
import type { Caller } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import type { ServerTime } from '../transport/server-time.ts';
import { AnsweredJobs } from './answered-jobs.ts';
import { isGone } from './is-gone.ts';
import { membersApi } from './members.ts';

/** The calls on projects (undocumented-calls, 1.9). */
export function projectsApi(call: Caller, serverTime: ServerTime): ProjectsApi {
  const answered = new AnsweredJobs(serverTime);

  const list: ProjectsApi['list'] = ({ offset, limit, name }, options) =>
    call(
      {
        route: 'GET /projects',
        query: { offset, limit, name },
        parse: (_, answer) => parsePage(answer, offset, parseProjectSummary),
      },
      options,
    );

  const get: ProjectsApi['get'] = (id, options) =>
    call({ route: 'GET /projects/{id}', path: { id }, parse: parseProject }, options);

  /** Name and time tell the project of a call whose answer was lost: to repeat that call would make a second one. */
  const onlyNew = async (
    name: string,
    sinceMs: number,
    options: CallOptions,
  ): Promise<ProjectRecord | undefined> => {
    const { items } = await list({ offset: 0, limit: PAGE_LIMIT_MAX, name }, options);
    const [candidate, ...others] = items.filter(
      (project) => project.name === name && (project.createdMs ?? 0) >= sinceMs && !answered.has(project.id),
    );
    if (others.length > 0) {
      const reason = `the answer got lost, and ${others.length + 1} projects of that name were made at that time`;
      throw new TransportError(reason, { call: 'POST /projects' });
    }
    return candidate && get(candidate.id, options);
  };

  return {
    ...membersApi(call, '/projects'),
    list,
    get,

    create: async (project, options) => {
      const sinceMs = serverTime.fromNowOn();
      const created = await lookBeforeRepeating(
        (timed) =>
          call(
            { route: 'POST /projects', body: { json: project }, whenLost: 'once', parse: parseProject },
            timed,
          ),
        (timed) => onlyNew(project.name, sinceMs, timed),
        call.repetition(options),
      );
      answered.add(created.id);
      return created;
    },

    edit: (id, changes, options) =>
      call(
        { route: 'PATCH /projects/{id}', path: { id }, body: { json: changes }, parse: () => undefined },
        options,
      ),

    delete: async (id, options) => {
      await lookBeforeRepeating(
        (timed) =>
          call(
            { route: 'DELETE /projects/{id}', path: { id }, whenLost: 'once', parse: () => true as const },
            timed,
          ),
        (timed) => isGone(get(id, timed)),
        call.repetition(options),
      );
    },
  };
}
