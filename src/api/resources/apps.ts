import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import type { CallOptions } from '../call-options.ts';
import type { AppsApi } from '../compute.ts';
import { ApiError } from '../errors.ts';
import type { AppRecord } from '../model.ts';
import { parseApp, parseAppSummary } from '../parse/app.ts';
import { parsePage } from '../parse/page.ts';
import { asObject, optionalNumberAt, textAt } from '../parse/wire.ts';
import type { Caller } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import type { ServerTime } from '../transport/server-time.ts';

const SECOND_MS = 1000;

/** The apps calls (API document, Apps; undocumented-calls, 1.10). */
export function appsApi(call: Caller, serverTime: ServerTime): AppsApi {
  const get: AppsApi['get'] = (id, options) =>
    call({ route: 'GET /apps/{id}', path: { id }, exact: true, parse: parseApp }, options);

  /** An app, or revision, that was made by a call whose answer was lost. Times in its document are whole seconds. */
  const madeSince = async (
    id: string,
    sinceMs: number,
    options: CallOptions,
  ): Promise<AppRecord | undefined> => {
    try {
      const app = await get(id, options);
      const madeMs = (optionalNumberAt(app.raw, 'svc:modifiedOn') ?? 0) * SECOND_MS;
      return madeMs >= Math.floor(sinceMs / SECOND_MS) * SECOND_MS ? app : undefined;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  };

  const list: AppsApi['list'] = ({ project, projectOwner, visibility, terms }, { offset, limit }, options) =>
    call(
      {
        route: 'GET /apps',
        query: { project, project_owner: projectOwner, visibility, q: terms, offset, limit },
        parse: (_, answer) => parsePage(answer, offset, parseAppSummary),
      },
      options,
    );

  return {
    list,
    get,

    install: (id, { revision, raw }, options) => {
      const sinceMs = serverTime.fromNowOn();
      return lookBeforeRepeating(
        (timed) =>
          call(
            {
              ...(revision === 0
                ? ({ route: 'POST /apps/{id}/raw', path: { id } } as const)
                : ({ route: 'POST /apps/{id}/{revision}/raw', path: { id, revision } } as const)),
              body: { json: raw },
              exact: true,
              whenLost: 'once',
              parse: (body) => textAt(asObject(body, 'document'), 'svc:id'),
            },
            timed,
          ),
        async (timed) => (await madeSince(`${id}/${revision}`, sinceMs, timed))?.id,
        call.repetition(options),
      );
    },

    copy: (id, { project, name, strategy }, options) =>
      lookBeforeRepeating(
        (timed) =>
          call(
            {
              route: 'POST /apps/{id}/actions/copy',
              path: { id },
              body: { json: { project, name, strategy } },
              exact: true,
              whenLost: 'once',
              parse: parseApp,
            },
            timed,
          ),
        async (timed) => {
          const { items } = await list({ project }, { offset: 0, limit: PAGE_LIMIT_MAX }, timed);
          const own = `${project}/${id.split('/')[2] ?? ''}`;
          const copy = items.find((app) => (name === undefined ? app.id === own : app.name === name));
          return copy && get(copy.id, timed);
        },
        call.repetition(options),
      ),
  };
}
