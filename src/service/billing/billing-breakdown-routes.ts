import { Type } from 'typebox';
import { AnalysisSpending, BreakdownQuery, EgressSpending, StorageSpending } from '../../contract/billing.ts';
import { PageOf } from '../../contract/paging.ts';
import type { App } from '../http/fastify-types.ts';
import { pageAnswer } from '../http/page-answer.ts';
import { projectsIn } from '../members/members.ts';
import type { HasStore } from '../store/store.ts';
import { billingGroupFor } from './billing-group-access.ts';
import { analysisSpending, storageSpending } from './billing-resource.ts';
import { chargesIn } from './charge-table.ts';
import { chargesAskedFor, storedByProject } from './group-spending.ts';

const GroupPath = Type.Object({ group: Type.String() });
const URL = '/billing/groups/:group/breakdown';

/** The three lists of what is spent; the older call that gives all at once is in billing.ts. */
export function billingBreakdownRoutes(app: App, services: HasStore): void {
  analysisRoute(app, services);
  storageRoute(app, services);
  egressRoute(app, services);
}

function analysisRoute(app: App, { store }: HasStore): void {
  app.get(
    `${URL}/analysis`,
    {
      schema: { params: GroupPath, querystring: BreakdownQuery, response: { 200: PageOf(AnalysisSpending) } },
      config: { listFields: Object.keys(AnalysisSpending.properties) },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const group = await billingGroupFor(store, request.caller, request.params.group);
      const listing = chargesAskedFor(group, request.query);
      const { rows, total } = await chargesIn(store).list(listing, { offset, limit });
      const projects = await projectsIn(store).findMany([
        ...new Set(rows.map(({ project_id }) => project_id)),
      ]);
      const projectOf = new Map(projects.map((project) => [project.id, project]));
      const items = rows.map((row) => analysisSpending(row, projectOf.get(row.project_id)));
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );
}

function storageRoute(app: App, { store }: HasStore): void {
  app.get(
    `${URL}/storage`,
    {
      schema: { params: GroupPath, querystring: BreakdownQuery, response: { 200: PageOf(StorageSpending) } },
      config: { listFields: Object.keys(StorageSpending.properties) },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const group = await billingGroupFor(store, request.caller, request.params.group);
      chargesAskedFor(group, request.query);
      const { rows, total } = await storedByProject(store, group, request.query);
      const items = rows.map(({ stored, project }) => storageSpending(stored, project));
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );
}

/** Always empty: addresses lead straight to the store, so that nobody counts the bytes, and nobody is charged. */
function egressRoute(app: App, { store }: HasStore): void {
  app.get(
    `${URL}/egress`,
    {
      schema: { params: GroupPath, querystring: BreakdownQuery, response: { 200: PageOf(EgressSpending) } },
      config: { listFields: Object.keys(EgressSpending.properties) },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const group = await billingGroupFor(store, request.caller, request.params.group);
      chargesAskedFor(group, request.query);
      return pageAnswer(request, reply, { offset, limit, items: [] as EgressSpending[], total: 0 });
    },
  );
}
