import swagger from '@fastify/swagger';
import { AUTH_TOKEN_HEADER } from '../../contract/headers.ts';
import type { App } from './fastify-types.ts';
import { API_PREFIX } from './request-view.ts';

/** Describes every call of the API registered after it in OpenAPI, from the schemas that validate the requests. */
export function describeRoutes(app: App): void {
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Cloud storage, files, projects, apps, tasks and billing', version: '2' },
      components: {
        securitySchemes: { token: { type: 'apiKey', in: 'header', name: AUTH_TOKEN_HEADER } },
      },
      security: [{ token: [] }],
    },
    transform: ({ schema, url }) => ({ schema: { ...schema, hide: !url.startsWith(API_PREFIX) }, url }),
  });
}
