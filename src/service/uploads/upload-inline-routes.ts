import { Readable } from 'node:stream';
import { FileResource } from '../../contract/file.ts';
import { CONTENT_MD5_HEADER, INLINE_METADATA_HEADER, INLINE_TAGS_HEADER } from '../../contract/headers.ts';
import { INLINE_SIZE_MAX } from '../../contract/limits.ts';
import { InlineUploadHeaders, InlineUploadQuery } from '../../contract/upload.ts';
import type { HasClock } from '../../lib/clock.ts';
import { fileAnswer } from '../files/files.ts';
import type { App } from '../http/fastify-types.ts';
import { scope } from '../http/scope.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasStore } from '../store/store.ts';
import { contentMd5, inlineMetadata, inlineTags } from './inline-headers.ts';
import { uploadInline } from './upload-inline.ts';

/** In a scope of its own: here alone a body is bytes, handed on as a stream. */
export function uploadInlineRoutes(app: App, services: HasStore & HasBlobs & HasClock): void {
  const own = scope((inner) => {
    inner.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
    inner.post(
      '/upload/inline',
      {
        bodyLimit: INLINE_SIZE_MAX,
        schema: {
          querystring: InlineUploadQuery,
          headers: InlineUploadHeaders,
          response: { 200: FileResource },
        },
      },
      async ({ caller, view, query, headers, body }) => {
        const { project, parent, name, overwrite } = query;
        const file = await uploadInline(services, caller, {
          project,
          parent,
          name,
          overwrite,
          metadata: inlineMetadata(headers[INLINE_METADATA_HEADER.toLowerCase()]),
          tags: inlineTags(headers[INLINE_TAGS_HEADER.toLowerCase()]),
          md5: contentMd5(headers[CONTENT_MD5_HEADER.toLowerCase()]),
          bytes: (body as Readable | undefined) ?? Readable.from([]),
        });
        return fileAnswer(services.store, file, view);
      },
    );
  });
  void app.register(own);
}
