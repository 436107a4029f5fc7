import { NoContent } from '../../contract/answers.ts';
import { FeedbackBody } from '../../contract/feedback.ts';
import { FieldsQuery } from '../../contract/paging.ts';
import type { HasLogger } from '../../observe/logger.ts';
import type { App } from '../http/fastify-types.ts';

/** Feedback goes to the operator: into the log, at a level that is always written. */
export function feedbackRoutes(app: App, { logger }: HasLogger): void {
  app.post(
    '/action/notifications/feedback',
    { schema: { body: FeedbackBody, querystring: FieldsQuery, response: { 204: NoContent } } },
    async ({ id, caller, body }, reply) => {
      const { type, text, referrer } = body;
      logger.warn({ requestId: id, user: caller.username, type, text, referrer }, 'feedback');
      return reply.code(204).send();
    },
  );
}
