import type { FastifyRequest } from 'fastify';
import {
  DIALECT_HEADERS,
  DIALECTS,
  type Dialect,
  exchangeQuery,
  exchangeWords,
  placeOfBody,
} from '../../contract/dialect.ts';
import type { App } from './fastify-types.ts';
import { API_PREFIX } from './request-view.ts';

/**
 * The one place where the service hears and speaks the platform's words. Behind it all is in the neutral ones: headers
 * and query from the first hook on, the body before it is validated, the answer until its fields are selected.
 */
export function addDialectHooks(app: App): void {
  app.decorateRequest('dialect', 'svc');
  // Hooks of a route run after those of all scopes: YAML in a body has become an object, and fields are selected.
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith(API_PREFIX)) return;
    route.preValidation = [...listOf(route.preValidation), readBody];
    route.preSerialization = [...listOf(route.preSerialization), writeAnswer];
  });
}

/** Notes in which words the call was made, and puts its headers and query into the neutral ones. */
export function readDialect(request: FastifyRequest): void {
  const { headers } = request;
  request.dialect = dialectOf(headers);
  if (request.dialect === 'svc') return;
  const [theirs, ours] = [DIALECT_HEADERS[request.dialect], DIALECT_HEADERS.svc];
  for (const name of ['token', 'advance'] as const) {
    const value = headers[theirs[name]];
    if (value !== undefined) headers[ours[name]] ??= value;
  }
  request.query = exchangeQuery(request.query as Record<string, unknown>);
}

/** The token's header says it, else that of advance access. A bearer token is sent by the platform's clients alone. */
function dialectOf(headers: FastifyRequest['headers']): Dialect {
  for (const name of ['token', 'advance'] as const) {
    const spoken = DIALECTS.find((dialect) => headers[DIALECT_HEADERS[dialect][name]] !== undefined);
    if (spoken !== undefined) return spoken;
  }
  return headers.authorization === undefined ? 'svc' : 'sbg';
}

async function readBody(request: FastifyRequest): Promise<void> {
  const { body, dialect, raw } = request;
  if (dialect === 'svc' || typeof body !== 'object' || body === null || isStream(body)) return;
  request.body = exchangeWords(body, placeOf(raw.url));
}

/** An error object is one wherever it comes. */
async function writeAnswer(
  { dialect, failed, raw }: FastifyRequest,
  _reply: unknown,
  payload: unknown,
): Promise<unknown> {
  if (dialect === 'svc') return payload;
  return exchangeWords(payload, failed ? 'object' : placeOf(raw.url));
}

function placeOf(url = ''): ReturnType<typeof placeOfBody> {
  return placeOfBody((url.split('?', 1)[0] ?? '').slice(API_PREFIX.length));
}

function isStream(body: object): boolean {
  return 'pipe' in body && typeof body.pipe === 'function';
}

function listOf<T>(hooks: T | T[] | undefined): T[] {
  return hooks === undefined ? [] : ([hooks].flat() as T[]);
}
