import { NoContent } from '../../contract/answers.ts';
import { FieldsQuery, PageOf } from '../../contract/paging.ts';
import {
  CreateVolumeBody,
  EditVolumeBody,
  EditVolumeQuery,
  VOLUME_LIST_FIELDS,
  VolumeListQuery,
  VolumeResource,
} from '../../contract/volume.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { App } from '../http/fastify-types.ts';
import { pageAnswer } from '../http/page-answer.ts';
import type { HasJobSignals } from '../jobs/job-signals.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { HasStore } from '../store/store.ts';
import { createVolume } from './create-volume.ts';
import { deleteVolume, editVolume } from './edit-volume.ts';
import { volumeFor } from './volume-access.ts';
import { VolumePath, volumeIdOf } from './volume-path.ts';
import { volumeResource } from './volume-resource.ts';
import type { HasVolumeSecrets } from './volume-secrets.ts';
import { volumesIn } from './volume-table.ts';

export function volumeRoutes(
  app: App,
  services: HasStore & HasVolumeSecrets & HasBuckets & HasJobSignals & HasClock,
): void {
  collectionRoutes(app, services);
  detailRoutes(app, services);
}

function collectionRoutes(app: App, services: HasStore & HasVolumeSecrets & HasBuckets & HasClock): void {
  const url = '/storage/volumes';
  app.get(
    url,
    {
      schema: { querystring: VolumeListQuery, response: { 200: PageOf(VolumeResource) } },
      config: { listFields: VOLUME_LIST_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const { rows, total } = await volumesIn(services.store).list(request.caller.username, {
        offset,
        limit,
      });
      const items = rows.map((row) => volumeResource(row, request.view));
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );

  app.post(
    url,
    { schema: { querystring: FieldsQuery, body: CreateVolumeBody, response: { 200: VolumeResource } } },
    async ({ caller, view, body }) => volumeResource(await createVolume(services, caller, body), view),
  );
}

function detailRoutes(
  app: App,
  services: HasStore & HasVolumeSecrets & HasBuckets & HasJobSignals & HasClock,
): void {
  const url = '/storage/volumes/:owner/:name';
  app.get(
    url,
    { schema: { params: VolumePath, querystring: FieldsQuery, response: { 200: VolumeResource } } },
    async ({ caller, view, params }) =>
      volumeResource(await volumeFor(services.store, caller, { id: volumeIdOf(params) }), view),
  );

  app.patch(
    url,
    {
      schema: {
        params: VolumePath,
        querystring: EditVolumeQuery,
        body: EditVolumeBody,
        response: { 200: VolumeResource },
      },
    },
    async ({ caller, view, params, query, body }) => {
      const { force } = query;
      return volumeResource(
        await editVolume(services, caller, { id: volumeIdOf(params), body, force }),
        view,
      );
    },
  );

  app.delete(
    url,
    { schema: { params: VolumePath, response: { 204: NoContent } } },
    async ({ caller, params }, reply) => {
      await deleteVolume(services, caller, volumeIdOf(params));
      return reply.code(204).send();
    },
  );
}
