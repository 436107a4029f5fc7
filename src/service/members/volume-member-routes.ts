import { Type } from 'typebox';
import { NoContent } from '../../contract/answers.ts';
import { FieldsQuery, PageOf, PageQuery } from '../../contract/paging.ts';
import {
  AddVolumeMemberBody,
  VolumeMember,
  VolumePermissions,
  VolumePermissionsEdit,
} from '../../contract/volume.ts';
import type { App } from '../http/fastify-types.ts';
import { pageAnswer } from '../http/page-answer.ts';
import type { HasStore } from '../store/store.ts';
import { VolumePath, volumeFor, volumeIdOf, volumeMember, volumeMembersIn } from '../volumes/volumes.ts';
import { addVolumeMember, editVolumeMember, findMember, removeVolumeMember } from './volume-members.ts';

const MemberPath = Type.Object({ ...VolumePath.properties, username: Type.String() });
const MEMBER_FIELDS = Object.keys(VolumeMember.properties);

export function volumeMemberRoutes(app: App, services: HasStore): void {
  collectionRoutes(app, services);
  memberRoutes(app, services);
}

function collectionRoutes(app: App, services: HasStore): void {
  const { store } = services;
  const url = '/storage/volumes/:owner/:name/members';
  app.get(
    url,
    {
      schema: { params: VolumePath, querystring: PageQuery, response: { 200: PageOf(VolumeMember) } },
      config: { listFields: MEMBER_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const { id } = await volumeFor(store, request.caller, { id: volumeIdOf(request.params) });
      const { rows, total } = await volumeMembersIn(store).list(id, { offset, limit });
      const items = rows.map((row) => volumeMember(id, row, request.view));
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );

  app.post(
    url,
    {
      schema: {
        params: VolumePath,
        querystring: FieldsQuery,
        body: AddVolumeMemberBody,
        response: { 200: VolumeMember },
      },
    },
    async ({ caller, view, params, body }) => {
      const volumeId = volumeIdOf(params);
      return volumeMember(volumeId, await addVolumeMember(services, caller, { volumeId, body }), view);
    },
  );
}

function memberRoutes(app: App, services: HasStore): void {
  const { store } = services;
  const url = '/storage/volumes/:owner/:name/members/:username';
  app.get(
    url,
    { schema: { params: MemberPath, querystring: FieldsQuery, response: { 200: VolumeMember } } },
    async ({ caller, view, params }) => {
      const { id } = await volumeFor(store, caller, { id: volumeIdOf(params) });
      return volumeMember(id, await findMember(store, id, params.username), view);
    },
  );

  app.delete(
    url,
    { schema: { params: MemberPath, response: { 204: NoContent } } },
    async ({ caller, params }, reply) => {
      const { username } = params;
      await removeVolumeMember(services, caller, { volumeId: volumeIdOf(params), username });
      return reply.code(204).send();
    },
  );

  for (const [method, change] of [
    ['PATCH', 'merge'],
    ['PUT', 'replace'],
  ] as const) {
    app.route({
      method,
      url: `${url}/permissions`,
      schema: {
        params: MemberPath,
        querystring: FieldsQuery,
        body: VolumePermissionsEdit,
        response: { 200: VolumePermissions },
      },
      handler: async ({ caller, params, body }) => {
        const { username } = params;
        const volumeId = volumeIdOf(params);
        return editVolumeMember(services, caller, { volumeId, username, permissions: body, change });
      },
    });
  }
}
