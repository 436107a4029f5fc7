import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifySchema } from 'fastify';
import { ApiErrorBody } from '../../contract/error.ts';
import { AUTH_TOKEN_HEADER } from '../../contract/headers.ts';
import { summaryOf } from './call-summaries.ts';
import type { App } from './fastify-types.ts';
import { API_PREFIX } from './request-view.ts';

/** Where a person reads the description; everything the page needs comes from here. */
const DOCS_PATH = `${API_PREFIX}/docs`;
const ERROR_SCHEMA = 'ApiError';
const ERROR_ANSWER = { description: 'Refused or failed.', $ref: `${ERROR_SCHEMA}#` };

/** Describes every call of the API registered after it in OpenAPI, from the schemas that validate the requests. */
export function describeRoutes(app: App): void {
  app.addSchema({ ...ApiErrorBody, $id: ERROR_SCHEMA });
  void app.register(swagger, {
    refResolver: { buildLocalReference: (schema, _base, _fragment, i) => String(schema['$id'] ?? i) },
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Cloud storage, files, projects, apps, tasks and billing', version: '2' },
      components: {
        securitySchemes: {
          token: { type: 'apiKey', in: 'header', name: AUTH_TOKEN_HEADER },
          // The answers to these are in the words of the platform.
          platform: { type: 'apiKey', in: 'header', name: 'X-SBG-Auth-Token' },
          bearer: { type: 'http', scheme: 'bearer' },
        },
      },
      security: [{ token: [] }, { platform: [] }, { bearer: [] }],
    },
    transform: ({ schema, url, route }) => ({
      schema: described(schema, {
        url,
        method: [route.method].flat()[0] ?? '',
        open: route.config?.open === true,
      }),
      url,
    }),
  });
  void app.register(swaggerUi, {
    routePrefix: DOCS_PATH,
    staticCSP: true,
    // The service itself speaks plain http: told to ask by https, a browser on another machine would get no script.
    transformStaticCSP: (policy) => policy.replace(/\s*upgrade-insecure-requests;?/, ''),
  });
}

function described(
  schema: FastifySchema | undefined,
  { url, method, open }: { readonly url: string; readonly method: string; readonly open: boolean },
): FastifySchema {
  if (schema?.hide === true || !url.startsWith(API_PREFIX)) return { ...schema, hide: true };
  const summary = summaryOf(method, pathOf(url));
  return {
    ...schema,
    ...(summary === undefined ? {} : { summary }),
    tags: [tagOf(url)],
    ...(open ? { security: [] } : {}),
    response: { ...(schema?.response as object | undefined), default: ERROR_ANSWER },
  };
}

/** As OpenAPI writes it, below `/v2`: `/files/:file_id` becomes `/files/{file_id}`. */
function pathOf(url: string): string {
  const below = url.slice(API_PREFIX.length).replaceAll(/:(\w+)/g, '{$1}');
  return below.replace(/\/$/, '') || '/';
}

/** Calls are shown by what they are about: the first word of their path that is no way of calling. */
function tagOf(url: string): string {
  const words = url
    .slice(API_PREFIX.length)
    .split('/')
    .filter((word) => word !== '');
  return words.find((word) => !['bulk', 'async', 'action', 'storage'].includes(word)) ?? 'service';
}
