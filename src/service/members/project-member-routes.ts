import { Type } from 'typebox';
import { NoContent } from '../../contract/answers.ts';
import { FieldsQuery, PageOf, PageQuery } from '../../contract/paging.ts';
import {
  AddProjectMemberBody,
  ProjectMember,
  ProjectPermissions,
  ProjectPermissionsEdit,
} from '../../contract/project.ts';
import type { App } from '../http/fastify-types.ts';
import { pageAnswer } from '../http/page-answer.ts';
import type { RequestView } from '../http/request-view.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStore } from '../store/store.ts';
import { usersIn } from '../users/users.ts';
import { projectFor } from './project-access.ts';
import { addMember, editMember, removeMember } from './project-members.ts';
import { type ProjectMemberRow, projectsIn } from './project-table.ts';

const ProjectPath = Type.Object({ owner: Type.String(), project: Type.String() });
const MemberPath = Type.Object({ ...ProjectPath.properties, username: Type.String() });
const MEMBER_FIELDS = Object.keys(ProjectMember.properties);

export function projectMemberRoutes(app: App, services: HasStore): void {
  collectionRoutes(app, services);
  memberRoutes(app, services);
}

function collectionRoutes(app: App, services: HasStore): void {
  const { store } = services;
  const url = '/projects/:owner/:project/members';
  app.get(
    url,
    {
      schema: { params: ProjectPath, querystring: PageQuery, response: { 200: PageOf(ProjectMember) } },
      config: { listFields: MEMBER_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const { id } = await projectFor(store, request.caller, idOf(request.params));
      const { rows, total } = await projectsIn(store).members(id, { offset, limit });
      const items = rows.map((row) => projectMember(id, row, request.view));
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );

  app.post(
    url,
    {
      schema: {
        params: ProjectPath,
        body: AddProjectMemberBody,
        querystring: FieldsQuery,
        response: { 200: ProjectMember },
      },
    },
    async ({ caller, view, params, body }) => {
      const projectId = idOf(params);
      return projectMember(projectId, await addMember(services, caller, { projectId, body }), view);
    },
  );
}

function memberRoutes(app: App, services: HasStore): void {
  const { store } = services;
  const url = '/projects/:owner/:project/members/:username';
  app.get(
    url,
    { schema: { params: MemberPath, querystring: FieldsQuery, response: { 200: ProjectMember } } },
    async ({ caller, view, params }) => {
      const { id } = await projectFor(store, caller, idOf(params));
      const user = await usersIn(store).find(params.username);
      const permissions = await projectsIn(store).permissionsOf(params.username, id);
      if (user === undefined || permissions === undefined) throw new ServiceError(3002, 'No such member.');
      return projectMember(id, { ...user, permissions }, view);
    },
  );

  app.delete(
    url,
    { schema: { params: MemberPath, response: { 204: NoContent } } },
    async ({ caller, params }, reply) => {
      await removeMember(services, caller, { projectId: idOf(params), username: params.username });
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
        body: ProjectPermissionsEdit,
        querystring: FieldsQuery,
        response: { 200: ProjectPermissions },
      },
      handler: async ({ caller, params, body }) => {
        const { username } = params;
        return editMember(services, caller, { projectId: idOf(params), username, permissions: body, change });
      },
    });
  }
}

function idOf({ owner, project }: { readonly owner: string; readonly project: string }): string {
  return `${owner}/${project}`;
}

function projectMember(
  projectId: string,
  { username, email, permissions }: ProjectMemberRow,
  view: RequestView,
): ProjectMember {
  const href = view.href(`/projects/${projectId}/members/${encodeURIComponent(username)}`);
  return { href, id: username, username, email, type: 'USER', permissions };
}
