import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { FILE_LIST_FIELDS, FileResource, FileScrollQuery, FOLDER_LIST_FIELDS } from '../../contract/file.ts';
import { TOTAL_HEADER } from '../../contract/headers.ts';
import { type Page, PageOf } from '../../contract/paging.ts';
import type { App } from '../http/fastify-types.ts';
import { addressOf } from '../http/page-answer.ts';
import type { HasStore } from '../store/store.ts';
import { destinationFolder, folderFor } from './destination-folder.ts';
import { fileAnswers } from './file-answer.ts';
import { fileFilters } from './file-listing-query.ts';
import { parseScrollToken, scrollToken } from './scroll-token.ts';
import { filesIn } from './tables/file-table.ts';

/** Listings that go on from the last entry seen, and so neither skip nor repeat when entries come and go. */
export function fileScrollRoutes(app: App, services: HasStore): void {
  const { store } = services;
  const response = { 200: PageOf(FileResource) };

  app.get(
    '/files/scroll',
    { schema: { querystring: FileScrollQuery, response }, config: { listFields: FILE_LIST_FIELDS } },
    async (request, reply) => {
      const { project, parent } = request.query;
      const destination = { project, parent, malformed: 5005 as const };
      const { file: folder } = await destinationFolder(store, request.caller, destination);
      return scrollPage(services, { request, reply, folderId: folder.id, query: request.query });
    },
  );

  app.get(
    '/files/:file_id/scroll',
    {
      schema: { params: Type.Object({ file_id: Type.String() }), querystring: FileScrollQuery, response },
      config: { listFields: FOLDER_LIST_FIELDS },
    },
    async (request, reply) => {
      const { file: folder } = await folderFor(store, request.caller, request.params.file_id);
      return scrollPage(services, { request, reply, folderId: folder.id, query: request.query });
    },
  );
}

interface Scroll {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly folderId: string;
  readonly query: FileScrollQuery;
}

async function scrollPage(
  { store }: HasStore,
  { request, reply, folderId, query }: Scroll,
): Promise<Page<FileResource>> {
  const { limit, token } = query;
  const filters = { parentId: folderId, ...fileFilters(query) };
  const listing = { ...filters, afterName: parseScrollToken(token) };
  const { rows, total: left } = await filesIn(store).list(listing, { offset: 0, limit });
  void reply.header(TOTAL_HEADER, await filesIn(store).count(filters));
  const last = rows.at(-1);
  const more = last !== undefined && rows.length < left;
  return {
    href: addressOf(request, { token, limit }),
    items: await fileAnswers(store, rows, request),
    links: more
      ? [{ href: addressOf(request, { token: scrollToken(last.name), limit }), rel: 'next', method: 'GET' }]
      : [],
  };
}
