import { Type } from 'typebox';
import { NoContent, Redirect } from '../../contract/answers.ts';
import { FieldsQuery, PageOf } from '../../contract/paging.ts';
import {
  CreateProjectBody,
  EditProjectBody,
  PROJECT_LIST_FIELDS,
  ProjectListQuery,
  ProjectResource,
} from '../../contract/project.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { HasLogger } from '../../observe/logger.ts';
import type { App } from '../http/fastify-types.ts';
import { pageAnswer } from '../http/page-answer.ts';
import type { RequestView } from '../http/request-view.ts';
import { checkTerms } from '../http/search-terms.ts';
import { type MemberProject, projectFor, projectsIn } from '../members/members.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasStore } from '../store/store.ts';
import { apiTime } from '../store/stored-time.ts';
import { createProject } from './create-project.ts';
import { deleteProject } from './delete-project.ts';
import { editProject } from './edit-project.ts';
import { shownSettings } from './project-fields.ts';

const ProjectPath = Type.Object({ owner: Type.String(), project: Type.String() });
const ProjectPage = PageOf(ProjectResource);

export function projectRoutes(app: App, services: HasStore & HasBlobs & HasClock & HasLogger): void {
  listRoutes(app, services);
  editRoutes(app, services);
  redirects(app);
}

function listRoutes(app: App, { store }: HasStore): void {
  for (const url of ['/projects', '/projects/:owner'] as const) {
    app.get(
      url,
      {
        schema: {
          params: Type.Object({ owner: Type.Optional(Type.String()) }),
          querystring: ProjectListQuery,
          response: { 200: ProjectPage },
        },
        config: { listFields: PROJECT_LIST_FIELDS },
      },
      async (request, reply) => {
        const { offset, limit, name, tags, category } = request.query;
        const { rows, total } = await projectsIn(store).list(
          {
            member: request.caller.username,
            owner: request.params.owner,
            name,
            category,
            tags: checkTerms(
              tags?.flatMap((list) => list.split(',')).filter((tag) => tag !== '') ?? [],
              'tags',
            ),
          },
          { offset, limit },
        );
        const items = rows.map((row) => projectResource(row, request.view));
        return pageAnswer(request, reply, { offset, limit, items, total });
      },
    );
  }
}

function editRoutes(app: App, services: HasStore & HasBlobs & HasClock & HasLogger): void {
  const { store } = services;
  app.post(
    '/projects',
    { schema: { body: CreateProjectBody, querystring: FieldsQuery, response: { 200: ProjectResource } } },
    async ({ caller, view, body }) => projectResource(await createProject(services, caller, body), view),
  );

  const url = '/projects/:owner/:project';
  app.get(
    url,
    { schema: { params: ProjectPath, querystring: FieldsQuery, response: { 200: ProjectResource } } },
    async ({ caller, view, params }) => projectResource(await projectFor(store, caller, idOf(params)), view),
  );

  // The law edits by POST, the public API by PATCH.
  app.route({
    method: ['PATCH', 'POST'],
    url,
    schema: {
      params: ProjectPath,
      body: EditProjectBody,
      querystring: FieldsQuery,
      response: { 200: ProjectResource },
    },
    handler: async ({ caller, view, params, body }) =>
      projectResource(await editProject(services, caller, { id: idOf(params), body }), view),
  });

  app.delete(
    url,
    { schema: { params: ProjectPath, response: { 204: NoContent } } },
    async ({ caller, params }, reply) => {
      await deleteProject(services, caller, idOf(params));
      return reply.code(204).send();
    },
  );
}

/** Lists of a project are other lists with a filter; the rest of the query is kept. */
function redirects(app: App): void {
  for (const list of ['files', 'tasks'] as const) {
    app.get(
      `/projects/:owner/:project/${list}`,
      { schema: { params: ProjectPath, response: { 307: Redirect } } },
      async (request, reply) => {
        const url = new URL(request.view.href(`/${list}`));
        url.search = new URL(request.url, url).search;
        url.searchParams.set('project', idOf(request.params));
        return reply.redirect(url.href, 307);
      },
    );
  }
}

function idOf({ owner, project }: { readonly owner: string; readonly project: string }): string {
  return `${owner}/${project}`;
}

/** A project as the API shows it to one of its members. */
function projectResource(project: MemberProject, view: RequestView): ProjectResource {
  const { id, name, description, category, created_by, permissions, billing_group, root_folder } = project;
  const tags: string[] = JSON.parse(project.tags);
  return {
    href: view.href(`/projects/${id}`),
    id,
    name,
    type: 'v2',
    description,
    tags,
    settings: shownSettings(JSON.parse(project.settings), tags),
    permissions,
    ...(billing_group === null ? {} : { billing_group }),
    category,
    created_by,
    created_on: apiTime(project.created_on),
    modified_on: apiTime(project.modified_on),
    ...(view.advance ? { root_folder } : {}),
  };
}
