import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { REQUEST_ID_HEADER } from '../contract/headers.ts';
import type { Logger } from '../observe/logger.ts';
import { AllowedMethods } from './http/allowed-methods.ts';
import { addApiHooks } from './http/api-hooks.ts';
import { answerBrokenRequest } from './http/broken-request.ts';
import { serviceErrorOf } from './http/error-answer.ts';
import { errorBody } from './http/error-body.ts';
import type { App } from './http/fastify-types.ts';
import { parseJsonBody } from './http/json-body.ts';
import { describeRoutes } from './http/openapi.ts';
import { API_PREFIX, requestView } from './http/request-view.ts';
import { scope } from './http/scope.ts';
import { validatorCompiler } from './http/validator-compiler.ts';
import { randomId } from './random-id.ts';
import { apiRoutes, localRoutes } from './routes/routes.ts';
import { ServiceError } from './service-error.ts';
import type { Services } from './services.ts';

/** A bulk edit of a hundred files with much metadata still fits. */
const BODY_LIMIT = 16 * 1024 * 1024;
/** How long a client may take for the head of a request, and be silent in the middle of one. */
const HEADERS_TIMEOUT_MS = 30_000;
const SILENCE_MS = 120_000;
const KEEP_ALIVE_MS = 72_000;

/** The HTTP side of the service: routes, and what every answer has in common. */
export function createApp(services: Services, options: { readonly internalStats: boolean }): App {
  const app: App = fastify({
    bodyLimit: BODY_LIMIT,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    connectionTimeout: SILENCE_MS,
    forceCloseConnections: 'idle',
    // While closing, requests on connections that are open are answered as ever.
    return503OnClosing: false,
    genReqId: randomId,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      beginAnswer(request as FastifyRequest, reply as FastifyReply);
      answerError(error, request as FastifyRequest, reply as FastifyReply, services);
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => parseJsonBody(body),
  );
  describeRoutes(app);
  decorate(app);
  app.addHook('onRequest', async (request, reply) => beginAnswer(request, reply));
  logAnswers(app, services.logger);
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, services));
  addRoutes(app, services, options);
  return app;
}

/** One line a request. The query stays out of it: it may hold a signature. */
function logAnswers(app: App, logger: Logger): void {
  app.addHook('onResponse', async ({ id, method, url, caller }, reply) => {
    const fields = { requestId: id, method, path: url.split('?', 1)[0], user: caller?.username };
    logger.info({ ...fields, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered');
  });
}

function beginAnswer(request: FastifyRequest, reply: FastifyReply): void {
  request.view = requestView(request);
  void reply.header(REQUEST_ID_HEADER, request.id);
}

function decorate(app: App): void {
  app.decorateRequest('failed', false);
  for (const name of ['caller', 'view', 'selector'] as const) app.decorateRequest(name, undefined as never);
}

function addRoutes(app: App, services: Services, options: { readonly internalStats: boolean }): void {
  const methods = new AllowedMethods();
  methods.watch(app);
  const notFound = (request: FastifyRequest, reply: FastifyReply): void => {
    const allowed = methods.of(request.url.split('?', 1)[0] ?? '');
    if (allowed.length > 0) void reply.header('Allow', allowed.join(', '));
    const error = new ServiceError(allowed.length > 0 ? 90006 : 90003);
    answerError(error, request, reply, services);
  };
  app.setNotFoundHandler(notFound);
  const api = scope((inner) => {
    addApiHooks(inner, services);
    inner.setNotFoundHandler(notFound);
    apiRoutes(inner, services);
  });
  void app.register(api, { prefix: API_PREFIX });
  void app.register(scope((inner) => localRoutes(inner, services, options)));
}

function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { logger }: Services,
): void {
  const told = serviceErrorOf(error);
  if (told.status >= 500) {
    const { id: requestId, method } = request;
    logger.error(
      { requestId, method, path: request.url.split('?', 1)[0], err: told.cause ?? told },
      'failed',
    );
  }
  request.failed = true;
  void reply.code(told.status).send(errorBody(told, request.view));
}
