import { Type } from 'typebox';
import { contentAddress, filesIn } from '../files/files.ts';
import type { App } from '../http/fastify-types.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasDownloadTime, HasSigner } from '../storage/blobs/url-signer.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { HasStore } from '../store/store.ts';
import type { HasVolumeSecrets } from '../volumes/volumes.ts';
import { INPUT_PATH } from './input-address.ts';

/** Inputs of tasks that run elsewhere, by signed address: leads on to where the bytes are at the time. */
export function storageInputRoutes(
  app: App,
  services: HasStore & HasVolumeSecrets & HasBlobs & HasBuckets & HasSigner & HasDownloadTime,
): void {
  const { signer, store } = services;
  const Path = Type.Object({ file_id: Type.String() });
  app.get(`${INPUT_PATH}/:file_id`, { schema: { params: Path } }, async ({ method, url, params }, reply) => {
    if (!signer.verify(method, url)) {
      throw new ServiceError(90002, 'The address is not signed by this service, or has expired.');
    }
    const file = await filesIn(store).find(params.file_id);
    if (file === undefined || file.kind === 'folder') throw new ServiceError(5002);
    const { url: location } = await contentAddress(services, file);
    return reply.redirect(location, 302);
  });
}
