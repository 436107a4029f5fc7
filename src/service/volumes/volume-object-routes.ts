import { Type } from 'typebox';
import type { HasLogger } from '../../observe/logger.ts';
import type { App } from '../http/fastify-types.ts';
import { sendBytes } from '../http/send-bytes.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStats } from '../http/service-stats.ts';
import type { HasSigner } from '../storage/blobs/url-signer.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { HasStore } from '../store/store.ts';
import { refuseAsService } from './bucket-failure.ts';
import { activeVolume } from './volume-access.ts';
import { objectPlace } from './volume-contents.ts';
import { OBJECT_PATH } from './volume-object-address.ts';
import type { HasVolumeSecrets } from './volume-secrets.ts';

/** Objects of volumes by signed address, for buckets that serve no addresses of their own. */
export function storageObjectRoutes(
  app: App,
  services: HasStore & HasVolumeSecrets & HasBuckets & HasSigner & HasStats & HasLogger,
): void {
  const { signer, stats, logger } = services;
  const Path = Type.Object({ owner: Type.String(), name: Type.String(), '*': Type.String() });
  app.get(`${OBJECT_PATH}/:owner/:name/*`, { schema: { params: Path } }, async (request, reply) => {
    if (!signer.verify(request.method, request.url)) {
      throw new ServiceError(90002, 'The address is not signed by this service, or has expired.');
    }
    const { owner, name, '*': path } = request.params;
    // An address that an older version signed has no `/` at its beginning.
    const location = path.startsWith('/') ? path.slice(1) : path;
    const volume = await activeVolume(services, `${owner}/${name}`);
    const { bucket, key } = await objectPlace(services, volume, location);
    const source = await bucket.open(key).catch(refuseAsService);
    if (source === undefined) throw new ServiceError(9105);
    return sendBytes(request, reply, { source, contentType: source.info.contentType, stats, logger });
  });
}
