import { Type } from 'typebox';
import { ERROR_CODES, ErrorMeanings } from '../contract/error-codes.ts';
import { FieldsQuery } from '../contract/paging.ts';
import { RateLimitResource } from '../contract/rate-limit.ts';
import { CAPABILITIES, RootResource } from '../contract/root.ts';
import type { App } from './http/fastify-types.ts';
import type { Services } from './services.ts';
import { downloadOrigin } from './storage/blobs/download-origin.ts';

export function rootRoutes(app: App, { blobs, rateLimiter }: Services): void {
  app.get('/', { schema: { response: { 200: RootResource } }, config: { open: true } }, async ({ view }) => {
    const origin = await downloadOrigin(blobs, view.origin);
    return {
      rate_limit_url: view.href('/rate_limit'),
      user_url: view.href('/user'),
      users_url: view.href('/users'),
      billing_url: view.href('/billing'),
      projects_url: view.href('/projects'),
      files_url: view.href('/files'),
      tasks_url: view.href('/tasks'),
      apps_url: view.href('/apps'),
      action_url: view.href('/action'),
      upload_url: view.href('/upload'),
      storage_url: view.href('/storage'),
      capabilities: [...CAPABILITIES],
      ...(origin !== undefined && { download_origin: origin }),
    };
  });

  app.get(
    '/rate_limit',
    {
      schema: { querystring: FieldsQuery, response: { 200: RateLimitResource } },
      config: { evenPastLimit: true },
    },
    async ({ caller }) => {
      const { limit, remaining, reset } = await rateLimiter.peek(caller.tokenHash);
      return {
        rate: { limit, remaining, reset },
        instance_limit: { limit: -1, remaining: Number.MAX_SAFE_INTEGER },
      };
    },
  );

  // Where `more_info` of every error leads.
  app.get(
    '/api-status-codes',
    { schema: { response: { 200: ErrorMeanings } }, config: { open: true } },
    async () => Object.fromEntries(Object.entries(ERROR_CODES)),
  );

  const response = { 200: Type.Object({}, { description: 'The description of the API in OpenAPI 3.1.' }) };
  app.get('/openapi.json', { schema: { response }, config: { open: true } }, async () => app.swagger());
}
