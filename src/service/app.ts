import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { REQUEST_ID_HEADER } from '../contract/headers.ts';
import { apiRoutes, localRoutes } from './api-routes.ts';
import { AllowedMethods } from './http/allowed-methods.ts';
import { addApiHooks } from './http/api-hooks.ts';
import { answerBrokenRequest } from './http/broken-request.ts';
import { addDialectHooks, readDialect } from './http/dialect-hooks.ts';
import { serviceErrorOf } from './http/error-answer.ts';
import { errorBody } from './http/error-body.ts';
import type { App } from './http/fastify-types.ts';
import { parseJsonBody } from './http/json-body.ts';
import { describeRoutes } from './http/openapi.ts';
import { requestId } from './http/request-id.ts';
import { fieldsOf, logRequests } from './http/request-log.ts';
import { API_PREFIX, requestView } from './http/request-view.ts';
import { scope } from './http/scope.ts';
import { ServiceError } from './http/service-error.ts';
import { SlowBodies } from './http/slow-bodies.ts';
import { validatorCompiler } from './http/validator-compiler.ts';
import { addAuditHooks } from './operations/audit/audit-hooks.ts';
import { healthRoutes } from './operations/monitoring/health-routes.ts';
import type { Readiness } from './operations/monitoring/readiness.ts';
import type { ClientLimits } from './service-config.ts';
import type { Services } from './services.ts';
import { authenticate } from './users/authenticate.ts';

/** A bulk edit of a hundred files with much metadata still fits. */
const BODY_LIMIT = 16 * 1024 * 1024;
const KEEP_ALIVE_MS = 72_000;
const HEAD_CHECK_MS = 5_000;

export interface AppOptions {
  readonly clientLimits: ClientLimits;
  readonly trustedProxies: readonly string[];
  readonly accelRedirect: string | undefined;
  readonly internalStats: boolean;
  readonly readiness: Readiness;
}

/** The HTTP side of the service: routes, and what every answer has in common. */
export function createApp(services: Services, options: AppOptions): App {
  const { headSeconds, silenceSeconds, bodyBytesPerSecond, bodyWindowSeconds } = options.clientLimits;
  const app: App = fastify({
    bodyLimit: BODY_LIMIT,
    trustProxy: [...options.trustedProxies],
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: headSeconds * 1000,
      // How often Node looks who has passed that.
      connectionsCheckingInterval: Math.min(headSeconds * 1000, HEAD_CHECK_MS),
    },
    connectionTimeout: silenceSeconds * 1000,
    forceCloseConnections: 'idle',
    // While closing, requests on connections that are open are answered as ever.
    return503OnClosing: false,
    genReqId: requestId,
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
  addDialectHooks(app);
  const slowBodies = new SlowBodies(
    { bytesPerSecond: bodyBytesPerSecond, windowMs: bodyWindowSeconds * 1000 },
    () => services.metrics.slowBodyCut(),
  );
  app.addHook('onRequest', async (request, reply) => {
    beginAnswer(request, reply);
    slowBodies.watch(request.raw, reply.raw);
  });
  app.addHook('onSend', async ({ failed }) => {
    if (!failed) await services.store.settled();
  });
  app.addHook('onClose', async () => slowBodies.stop());
  logRequests(app, services);
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, services));
  addRoutes(app, services, options);
  return app;
}

function beginAnswer(request: FastifyRequest, reply: FastifyReply): void {
  readDialect(request);
  request.view = requestView(request);
  void reply.header(REQUEST_ID_HEADER, request.id);
}

function decorate(app: App): void {
  app.decorateRequest('failed', false);
  for (const name of ['caller', 'view', 'selector'] as const) app.decorateRequest(name, undefined as never);
}

function addRoutes(app: App, services: Services, options: AppOptions): void {
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
    addAuditHooks(inner, services);
    addApiHooks(inner, { ...services, authenticate: (token) => authenticate(services, token) });
    inner.setNotFoundHandler(notFound);
    apiRoutes(inner, services);
  });
  void app.register(api, { prefix: API_PREFIX });
  void app.register(scope((inner) => localRoutes(inner, services, options)));
  void app.register(scope((inner) => healthRoutes(inner, options.readiness)));
}

function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { logger }: Services,
): void {
  const told = serviceErrorOf(error);
  if (told.status >= 500) {
    logger.error({ ...fieldsOf(request), err: told.cause ?? told }, 'failed');
  }
  request.failed = true;
  void reply.code(told.status).send(errorBody(told, request.view));
}
