import { Type } from 'typebox';
import { NoContent } from '../../contract/answers.ts';
import {
  CreateFolderBody,
  EditFileBody,
  FILE_LIST_FIELDS,
  FileListQuery,
  FileResource,
  FOLDER_LIST_FIELDS,
  OverwriteQuery,
} from '../../contract/file.ts';
import { FieldsQuery, PageOf, PageQuery } from '../../contract/paging.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { App } from '../http/fastify-types.ts';
import { pageAnswer } from '../http/page-answer.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStore } from '../store/store.ts';
import { createFolder } from './create-folder.ts';
import { deleteFile } from './delete-file.ts';
import { destinationFolder, folderFor } from './destination-folder.ts';
import { editFile } from './edit-file.ts';
import { fileFor } from './file-access.ts';
import { fileAnswer, fileAnswers } from './file-answer.ts';
import { fileFilters, metadataFilters } from './file-listing-query.ts';
import { filesIn } from './tables/file-table.ts';

const FilePath = Type.Object({ file_id: Type.String() });

export function fileRoutes(app: App, services: HasStore & HasClock): void {
  listRoutes(app, services);
  detailRoutes(app, services);
  folderRoutes(app, services);
}

function listRoutes(app: App, { store }: HasStore): void {
  app.get(
    '/files',
    {
      schema: { querystring: FileListQuery, response: { 200: PageOf(FileResource) } },
      config: { listFields: FILE_LIST_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit, project, parent } = request.query;
      const { file: folder } = await destinationFolder(store, request.caller, {
        project,
        parent,
        malformed: 5005,
      });
      const listing = {
        parentId: folder.id,
        ...fileFilters(request.query),
        metadata: metadataFilters(request.query),
      };
      const { rows, total } = await filesIn(store).list(listing, { offset, limit });
      const items = await fileAnswers(store, rows, request);
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );

  app.get(
    '/files/:file_id/list',
    {
      schema: { params: FilePath, querystring: PageQuery, response: { 200: PageOf(FileResource) } },
      config: { listFields: FOLDER_LIST_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const { file: folder } = await folderFor(store, request.caller, request.params.file_id);
      const { rows, total } = await filesIn(store).list({ parentId: folder.id }, { offset, limit });
      const items = await fileAnswers(store, rows, request);
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );
}

function detailRoutes(app: App, services: HasStore & HasClock): void {
  const { store } = services;
  const url = '/files/:file_id';
  app.get(
    url,
    { schema: { params: FilePath, querystring: FieldsQuery, response: { 200: FileResource } } },
    async ({ caller, view, params }) => {
      const { file } = await fileFor(store, caller, params.file_id);
      return fileAnswer(store, file, view);
    },
  );

  app.patch(
    url,
    {
      schema: {
        params: FilePath,
        querystring: OverwriteQuery,
        body: EditFileBody,
        response: { 200: FileResource },
      },
    },
    async ({ caller, view, params, query, body }) => {
      const changes = { ...body, overwrite: query.overwrite };
      const file = await editFile(services, caller, { id: params.file_id, changes });
      return fileAnswer(store, file, view);
    },
  );

  app.delete(
    url,
    { schema: { params: FilePath, response: { 204: NoContent } } },
    async ({ caller, params }, reply) => {
      await deleteFile(services, caller, params.file_id);
      return reply.code(204).send();
    },
  );
}

function folderRoutes(app: App, services: HasStore & HasClock): void {
  app.post(
    '/files',
    { schema: { body: CreateFolderBody, querystring: FieldsQuery, response: { 200: FileResource } } },
    async ({ caller, view, body }) => {
      if (!view.advance) {
        throw new ServiceError(5033, 'Creating a folder needs the header X-SVC-Advance-Access: advance.');
      }
      return fileAnswer(services.store, await createFolder(services, caller, body), view);
    },
  );
}
