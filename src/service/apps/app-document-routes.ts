import { AppDocument } from '../../contract/app.ts';
import { FieldsQuery } from '../../contract/paging.ts';
import { OptionalBody } from '../../contract/schema-kinds.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { App } from '../http/fastify-types.ts';
import { scope } from '../http/scope.ts';
import { acceptYaml } from '../http/yaml-body.ts';
import type { HasStore } from '../store/store.ts';
import { appFor } from './app-access.ts';
import { appIdOf, parseRevision } from './app-id.ts';
import { APP_URL, AppPath, RevisionPath } from './app-path.ts';
import { appDocument } from './app-resource.ts';
import { installApp, reviseApp } from './install-app.ts';

/** Documents alone: read, installed, revised. In a scope of its own: here a body may be YAML. */
export function appDocumentRoutes(app: App, services: HasStore & HasClock): void {
  const own = scope((inner) => {
    acceptYaml(inner);
    newestRoutes(inner, services);
    revisionRoutes(inner, services);
  });
  void app.register(own);
}

const response = { 200: AppDocument };
const body = OptionalBody(AppDocument);

function newestRoutes(app: App, services: HasStore & HasClock): void {
  const { store } = services;
  const url = `${APP_URL}/raw`;
  const schema = { params: AppPath, querystring: FieldsQuery, response };
  app.get(url, { schema }, async ({ caller, params }) => {
    const { app: found } = await appFor(store, caller, appIdOf(params));
    return appDocument(store, found);
  });

  app.post(url, { schema: { ...schema, body } }, async ({ caller, params, body: document }) => {
    return appDocument(store, await installApp(services, caller, { path: params, document }));
  });
}

function revisionRoutes(app: App, services: HasStore & HasClock): void {
  const { store } = services;
  const url = `${APP_URL}/:revision/raw`;
  const schema = { params: RevisionPath, querystring: FieldsQuery, response };
  app.get(url, { schema }, async ({ caller, params }) => {
    const revision = parseRevision(params.revision);
    const { app: found } = await appFor(store, caller, appIdOf(params));
    return appDocument(store, found, revision);
  });

  app.post(url, { schema: { ...schema, body } }, async ({ caller, params, body: document }) => {
    const next = { id: appIdOf(params), revision: parseRevision(params.revision), document };
    return appDocument(store, await reviseApp(services, caller, next));
  });
}
