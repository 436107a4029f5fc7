import { Readable } from 'node:stream';
import { Compile } from 'typebox/compile';
import { type FileMetadata, FileResource, MetadataBody, TagsBody } from '../../contract/file.ts';
import { CONTENT_MD5_HEADER, INLINE_METADATA_HEADER, INLINE_TAGS_HEADER } from '../../contract/headers.ts';
import { INLINE_SIZE_MAX } from '../../contract/limits.ts';
import { InlineUploadHeaders, InlineUploadQuery } from '../../contract/upload.ts';
import type { HasClock } from '../../lib/clock.ts';
import { checkMetadata, checkTags, fileAnswer } from '../files/files.ts';
import type { App } from '../http/fastify-types.ts';
import { parseJsonBody } from '../http/json-body.ts';
import { scope } from '../http/scope.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasStore } from '../store/store.ts';
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

const metadataBody = Compile(MetadataBody);
const tagsBody = Compile(TagsBody);

const MD5_BYTES = 16;

type HeaderValue = string | string[] | undefined;

/** Metadata beside an inline upload. @throws ServiceError 5006 */
function inlineMetadata(header: HeaderValue): FileMetadata {
  const value = decode(header) ?? {};
  if (!metadataBody.Check(value)) throw new ServiceError(5006);
  return checkMetadata(value);
}

/** Tags beside an inline upload. @throws ServiceError 90000 */
function inlineTags(header: HeaderValue): string[] {
  const value = decode(header) ?? [];
  if (!tagsBody.Check(value)) throw new ServiceError(90000, 'The tags must be a JSON array of strings.');
  return checkTags(value);
}

/** MD5 of an inline upload in hexadecimal; undefined when none was given. @throws ServiceError 90000 */
function contentMd5(header: HeaderValue): string | undefined {
  if (header === undefined) return undefined;
  const md5 = Buffer.from(String(header), 'base64');
  if (md5.length !== MD5_BYTES) throw new ServiceError(90000, 'Content-MD5 is the base64 of 16 bytes.');
  return md5.toString('hex');
}

/** JSON in base64url. */
function decode(header: HeaderValue): unknown {
  if (header === undefined) return undefined;
  if (Array.isArray(header)) throw new ServiceError(90000, 'A header was given more than once.');
  return parseJsonBody(Buffer.from(header, 'base64url'));
}
