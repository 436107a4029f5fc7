import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { HasLogger } from '../../observe/logger.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import { BLOB_PATH, DirectoryBlobStore, PART_PATH } from '../storage/blobs/directory-blob-store.ts';
import type { HasSigner } from '../storage/blobs/url-signer.ts';
import type { App } from './fastify-types.ts';
import { scope } from './scope.ts';
import { sendBytes } from './send-bytes.ts';
import { ServiceError } from './service-error.ts';
import type { HasStats } from './service-stats.ts';

/**
 * Parts and contents by signed address: no token, no rate limit, not part of the API. Served only where the blobs are a
 * directory of this service; another store serves its own.
 */
export function storageRoutes(
  app: App,
  services: HasBlobs & HasSigner & HasStats & HasLogger,
  { accelRedirect }: { readonly accelRedirect: string | undefined },
): void {
  const { blobs, signer } = services;
  if (!(blobs instanceof DirectoryBlobStore)) return;
  const own = scope((inner) => {
    inner.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    inner.addHook('onRequest', async (request) => {
      if (!signer.verify(request.method, request.url)) {
        throw new ServiceError(90002, 'The address is not signed by this service, or has expired.');
      }
    });
    receiveParts(inner, blobs, services);
    sendContents(inner, blobs, { ...services, accelRedirect });
  });
  void app.register(own);
}

function receiveParts(app: App, blobs: DirectoryBlobStore, { stats }: HasStats): void {
  app.put(
    `${PART_PATH}/:key/:part_number`,
    {
      bodyLimit: Number.MAX_SAFE_INTEGER,
      schema: { params: Type.Object({ key: Type.String(), part_number: Type.Integer() }) },
    },
    async ({ params, body }, reply) => {
      let received = 0;
      stats.partBegins();
      try {
        const part = await blobs.receivePart(
          params.key,
          params.part_number,
          (body as Readable | undefined) ?? Readable.from([]),
        );
        if (part === undefined) throw new ServiceError(8003);
        received = part.sizeBytes;
        return await reply.header('ETag', `"${part.etag}"`).send();
      } finally {
        stats.partEnds(received);
      }
    },
  );
}

/** @param accelRedirect Where nginx sends the files from itself, for requests that came by it */
function sendContents(
  app: App,
  blobs: DirectoryBlobStore,
  { stats, logger, accelRedirect }: HasStats & HasLogger & { readonly accelRedirect: string | undefined },
): void {
  app.get(
    `${BLOB_PATH}/:key`,
    { schema: { params: Type.Object({ key: Type.String() }) } },
    async (request, reply) => {
      const source = await blobs.open(request.params.key);
      if (source === undefined) throw new ServiceError(90003, 'The content is gone.');
      const { localPath, etag } = source;
      if (accelRedirect === undefined || localPath === undefined || !cameByProxy(request)) {
        return sendBytes(request, reply, { source, stats, logger });
      }
      await source.close();
      stats.storageGets += 1;
      void reply.headers({ ETag: `"${etag}"`, 'Cache-Control': 'private' }).type('application/octet-stream');
      return reply.header('X-Accel-Redirect', `${accelRedirect}${blobs.placeOf(localPath)}`).send();
    },
  );
}

/** A trusted proxy passed the request on. */
function cameByProxy({ ips = [] }: FastifyRequest): boolean {
  return ips.length > 1;
}
