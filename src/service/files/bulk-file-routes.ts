import {
  ActionCopyFilesAnswer,
  ActionCopyFilesBody,
  BulkAnswerOf,
  type BulkFileEdit,
  BulkFileEditsBody,
  BulkFileIdsBody,
} from '../../contract/bulk.ts';
import { FileResource } from '../../contract/file.ts';
import { FieldsQuery } from '../../contract/paging.ts';
import type { HasClock } from '../../lib/clock.ts';
import { bulkAnswer, checkBulk } from '../http/bulk-answer.ts';
import { serviceErrorOf } from '../http/error-answer.ts';
import type { App } from '../http/fastify-types.ts';
import { oneOf } from '../http/one-of.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStore } from '../store/store.ts';
import { copyFile } from './copy-file.ts';
import { deleteFile } from './delete-file.ts';
import { editFile } from './edit-file.ts';
import { fileFor } from './file-access.ts';
import { fileAnswer } from './file-answer.ts';

export function bulkFileRoutes(app: App, services: HasStore & HasClock): void {
  readAndDeleteRoutes(app, services);
  editRoutes(app, services);
  copyRoute(app, services);
}

function readAndDeleteRoutes(app: App, services: HasStore & HasClock): void {
  const { store } = services;
  const response = { 200: BulkAnswerOf(FileResource) };
  app.post(
    '/bulk/files/get',
    { schema: { querystring: FieldsQuery, body: BulkFileIdsBody, response }, config: { bulk: true } },
    async ({ caller, view, body }) =>
      bulkAnswer(body.file_ids, view, async (id) => {
        const { file } = await fileFor(store, caller, id);
        return fileAnswer(store, file, view);
      }),
  );

  app.post(
    '/bulk/files/delete',
    { schema: { querystring: FieldsQuery, body: BulkFileIdsBody, response }, config: { bulk: true } },
    async ({ caller, view, body }) =>
      bulkAnswer(body.file_ids, view, async (id) => {
        await deleteFile(services, caller, id);
        return null;
      }),
  );
}

function editRoutes(app: App, services: HasStore & HasClock): void {
  for (const [url, replace] of [
    ['/bulk/files/edit', false],
    ['/bulk/files/update', true],
  ] as const) {
    app.post(
      url,
      {
        schema: {
          querystring: FieldsQuery,
          body: BulkFileEditsBody,
          response: { 200: BulkAnswerOf(FileResource) },
        },
        config: { bulk: true },
      },
      async ({ caller, view, body }) =>
        bulkAnswer(body.items, view, async (entry) => {
          const id = idOf(entry);
          const { name, tags, metadata } = entry;
          const changes = {
            ...(name ? { name } : {}),
            ...(tags ? { tags } : {}),
            ...(metadata ? { metadata } : {}),
            replace,
          };
          return fileAnswer(services.store, await editFile(services, caller, { id, changes }), view);
        }),
    );
  }
}

/** Clients write `id`, the documents `file_id`. */
function idOf(edit: BulkFileEdit): string {
  const given = oneOf(edit, ['id', 'file_id'], 5004);
  if (!given) throw new ServiceError(5004);
  return given;
}

/** Copies into the root folder of a project; answered by the old id, not as a list. */
function copyRoute(app: App, services: HasStore & HasClock): void {
  const schema = {
    querystring: FieldsQuery,
    body: ActionCopyFilesBody,
    response: { 200: ActionCopyFilesAnswer },
  };
  app.post('/action/files/copy', { schema }, async ({ caller, body }) => {
    checkBulk(body.file_ids);
    const answer: ActionCopyFilesAnswer = {};
    for (const id of body.file_ids) {
      try {
        const copy = await copyFile(services, caller, { id, to: { project: body.project } });
        answer[id] = { status: 'OK', new_file_id: copy.id, new_file_name: copy.name };
      } catch (error) {
        const told = serviceErrorOf(error);
        if (told.status >= 500) throw error;
        answer[id] = { status: 'ERROR', message: told.message };
      }
    }
    return answer;
  });
}
