import { Type } from 'typebox';
import { APP_LIST_FIELDS, AppListQuery, AppResource, CopyAppBody } from '../../contract/app.ts';
import { FieldsQuery, PageOf } from '../../contract/paging.ts';
import { OptionalBody } from '../../contract/schema-kinds.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { App } from '../http/fastify-types.ts';
import { pageAnswer } from '../http/page-answer.ts';
import type { HasStore } from '../store/store.ts';
import { appFor } from './app-access.ts';
import { appIdOf, parseRevision } from './app-id.ts';
import { APP_URL, AppPath, RevisionPath } from './app-path.ts';
import { appAnswer, appItems } from './app-resource.ts';
import { copyApp } from './copy-app.ts';
import { listApps } from './list-apps.ts';
import { syncApp } from './sync-app.ts';

export function appRoutes(app: App, services: HasStore & HasClock): void {
  listRoute(app, services);
  detailRoutes(app, services);
  for (const [url, params] of [
    [APP_URL, AppPath],
    [`${APP_URL}/:revision`, RevisionPath],
  ] as const) {
    actionRoutes(app, services, { url, params });
  }
}

function listRoute(app: App, services: HasStore): void {
  app.get(
    '/apps',
    {
      schema: { querystring: AppListQuery, response: { 200: PageOf(AppResource) } },
      config: { listFields: APP_LIST_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const { rows, total } = await listApps(services, request.caller, request.query);
      const items = await appItems(services.store, rows, request);
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );
}

function detailRoutes(app: App, { store }: HasStore): void {
  app.get(
    APP_URL,
    { schema: { params: AppPath, querystring: FieldsQuery, response: { 200: AppResource } } },
    async ({ caller, view, params }) => {
      const { app: found } = await appFor(store, caller, appIdOf(params));
      return appAnswer(store, found, { view });
    },
  );

  app.get(
    `${APP_URL}/:revision`,
    { schema: { params: RevisionPath, querystring: FieldsQuery, response: { 200: AppResource } } },
    async ({ caller, view, params }) => {
      const revision = parseRevision(params.revision);
      const { app: found } = await appFor(store, caller, appIdOf(params));
      return appAnswer(store, found, { view, revision });
    },
  );
}

/** The public client names the app it acts on with the revision it has read, or without. */
function actionRoutes(
  app: App,
  services: HasStore & HasClock,
  { url, params }: { readonly url: string; readonly params: typeof AppPath | typeof RevisionPath },
): void {
  const schema = { params, querystring: FieldsQuery, response: { 200: AppResource } };
  app.post(
    `${url}/actions/copy`,
    { schema: { ...schema, body: CopyAppBody } },
    async ({ caller, view, params: path, body }) => {
      const revision = 'revision' in path ? parseRevision(String(path.revision)) : undefined;
      const copy = await copyApp(services, caller, { id: appIdOf(path), revision, to: body });
      return appAnswer(services.store, copy, { view });
    },
  );

  app.post(
    `${url}/actions/sync`,
    { schema: { ...schema, body: OptionalBody(Type.Object({})) } },
    async ({ caller, view, params: path }) => {
      return appAnswer(services.store, await syncApp(services, caller, appIdOf(path)), { view });
    },
  );
}
