import { Type } from 'typebox';
import {
  CopyFileBody,
  DownloadInfo,
  DownloadInfoQuery,
  FileMetadata,
  FileResource,
  MetadataBody,
  MoveFileBody,
  OverwriteQuery,
  TagsBody,
} from '../../contract/file.ts';
import { FieldsQuery } from '../../contract/paging.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { App } from '../http/fastify-types.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasDownloadTime, HasSigner } from '../storage/blobs/url-signer.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { HasStore } from '../store/store.ts';
import type { HasVolumeSecrets } from '../volumes/volumes.ts';
import { copyFile } from './copy-file.ts';
import { downloadAddress } from './download-address.ts';
import { editMetadata, replaceTags } from './edit-file.ts';
import { fileFor } from './file-access.ts';
import { fileAnswer } from './file-answer.ts';
import { moveFile } from './move-file.ts';
import { filesIn } from './tables/file-table.ts';

const FilePath = Type.Object({ file_id: Type.String() });

export function fileActionRoutes(
  app: App,
  services: HasStore & HasVolumeSecrets & HasBlobs & HasBuckets & HasSigner & HasDownloadTime & HasClock,
): void {
  metadataRoutes(app, services);
  copyAndMoveRoutes(app, services);

  app.put(
    '/files/:file_id/tags',
    { schema: { params: FilePath, querystring: FieldsQuery, body: TagsBody, response: { 200: TagsBody } } },
    async ({ caller, params, body }) => replaceTags(services, caller, { id: params.file_id, tags: body }),
  );

  app.get(
    '/files/:file_id/download_info',
    { schema: { params: FilePath, querystring: DownloadInfoQuery, response: { 200: DownloadInfo } } },
    async ({ caller, view, params, query }) => {
      const { file, address } = await downloadAddress(services, caller, params.file_id);
      const url = new URL(address.url, view.origin).href;
      return query.file ? { url, file: await fileAnswer(services.store, file, view) } : { url };
    },
  );
}

function metadataRoutes(app: App, services: HasStore): void {
  const { store } = services;
  const url = '/files/:file_id/metadata';
  const schema = { params: FilePath, querystring: FieldsQuery, response: { 200: FileMetadata } };

  app.get(url, { schema }, async ({ caller, params }) => {
    const { file } = await fileFor(store, caller, params.file_id);
    if (file.kind === 'folder') throw new ServiceError(5025);
    return filesIn(store).metadata(file.id);
  });

  for (const [method, change] of [
    ['PATCH', 'merge'],
    ['PUT', 'replace'],
  ] as const) {
    app.route({
      method,
      url,
      schema: { ...schema, body: MetadataBody },
      handler: async ({ caller, params, body }) =>
        editMetadata(services, caller, { id: params.file_id, body, change }),
    });
  }
}

function copyAndMoveRoutes(app: App, services: HasStore & HasClock): void {
  app.post(
    '/files/:file_id/actions/copy',
    {
      schema: {
        params: FilePath,
        querystring: FieldsQuery,
        body: CopyFileBody,
        response: { 200: FileResource },
      },
    },
    async ({ caller, view, params, body }) => {
      const copy = await copyFile(services, caller, { id: params.file_id, to: body });
      return fileAnswer(services.store, copy, view);
    },
  );

  app.post(
    '/files/:file_id/actions/move',
    {
      schema: {
        params: FilePath,
        querystring: OverwriteQuery,
        body: MoveFileBody,
        response: { 200: FileResource },
      },
    },
    async ({ caller, view, params, query, body }) => {
      const { overwrite } = query;
      const moved = await moveFile(services, caller, { id: params.file_id, to: body, overwrite });
      return fileAnswer(services.store, moved, view);
    },
  );
}
