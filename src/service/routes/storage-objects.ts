import { Type } from 'typebox';
import { activeVolume } from '../actions/volume-access.ts';
import { objectPlace } from '../actions/volume-contents.ts';
import { OBJECT_PATH } from '../actions/volume-object-address.ts';
import type { App } from '../http/fastify-types.ts';
import { sendBytes } from '../http/send-bytes.ts';
import { refuseAsService } from '../rules/bucket-failure.ts';
import { ServiceError } from '../service-error.ts';
import type { Services } from '../services.ts';

/** Objects of volumes by signed address, for buckets that serve no addresses of their own. */
export function storageObjectRoutes(app: App, services: Services): void {
  const { signer, stats } = services;
  const Path = Type.Object({ owner: Type.String(), name: Type.String(), '*': Type.String() });
  app.get(`${OBJECT_PATH}/:owner/:name/*`, { schema: { params: Path } }, async (request, reply) => {
    if (!signer.verify(request.method, request.url)) {
      throw new ServiceError(90002, 'The address is not signed by this service, or has expired.');
    }
    const { owner, name, '*': path } = request.params;
    // What was signed by a version before has no `/` at its beginning.
    const location = path.startsWith('/') ? path.slice(1) : path;
    const volume = await activeVolume(services, `${owner}/${name}`);
    const { bucket, key } = await objectPlace(services, volume, location);
    const source = await bucket.open(key).catch(refuseAsService);
    if (source === undefined) throw new ServiceError(9105);
    return sendBytes(request, reply, { source, contentType: source.info.contentType, stats });
  });
}
