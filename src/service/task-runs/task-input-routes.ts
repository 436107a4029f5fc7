import { Type } from 'typebox';
import { contentAddress } from '../files/download-address.ts';
import type { App } from '../http/fastify-types.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Services } from '../services.ts';
import { INPUT_PATH } from './input-address.ts';

/** Inputs of tasks that run elsewhere, by signed address: leads on to where the bytes are at the time. */
export function storageInputRoutes(app: App, services: Services): void {
  const { signer, store } = services;
  const Path = Type.Object({ file_id: Type.String() });
  app.get(`${INPUT_PATH}/:file_id`, { schema: { params: Path } }, async ({ method, url, params }, reply) => {
    if (!signer.verify(method, url)) {
      throw new ServiceError(90002, 'The address is not signed by this service, or has expired.');
    }
    const file = await store.files.find(params.file_id);
    if (file === undefined || file.kind === 'folder') throw new ServiceError(5002);
    const { url: location } = await contentAddress(services, file);
    return reply.redirect(location, 302);
  });
}
