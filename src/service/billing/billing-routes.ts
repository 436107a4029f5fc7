import { Type } from 'typebox';
import {
  BILLING_GROUP_LIST_FIELDS,
  BillingBreakdown,
  BillingGroupResource,
  BillingRoot,
  INVOICE_LIST_FIELDS,
  InvoiceListQuery,
  InvoiceResource,
} from '../../contract/billing.ts';
import { FieldsQuery, PageOf, PageQuery } from '../../contract/paging.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { App } from '../http/fastify-types.ts';
import { pageAnswer } from '../http/page-answer.ts';
import type { HasStore } from '../store/store.ts';
import { billingGroupFor } from './billing-group-access.ts';
import { billingGroupsIn } from './billing-group-table.ts';
import { billingGroupResource, breakdownResource, invoiceResource } from './billing-resource.ts';
import { spendingByProject } from './group-spending.ts';
import { findInvoice, listInvoices } from './invoices.ts';

export function billingRoutes(app: App, services: HasStore & HasClock): void {
  app.get(
    '/billing',
    { schema: { querystring: FieldsQuery, response: { 200: BillingRoot } } },
    async ({ view }) => ({
      href: view.href('/billing'),
      billing_groups_url: view.href('/billing/groups'),
      invoices_url: view.href('/billing/invoices'),
    }),
  );
  groupRoutes(app, services);
  invoiceRoutes(app, services);
}

function groupRoutes(app: App, { store }: HasStore): void {
  app.get(
    '/billing/groups',
    {
      schema: { querystring: PageQuery, response: { 200: PageOf(BillingGroupResource) } },
      config: { listFields: BILLING_GROUP_LIST_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const { rows, total } = await billingGroupsIn(store).list(request.caller.username, { offset, limit });
      const items = rows.map((row) => billingGroupResource(row, request.view));
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );

  const params = Type.Object({ group: Type.String() });
  app.get(
    '/billing/groups/:group',
    { schema: { params, querystring: FieldsQuery, response: { 200: BillingGroupResource } } },
    async ({ caller, view, params: { group } }) =>
      billingGroupResource(await billingGroupFor(store, caller, group), view),
  );

  app.get(
    '/billing/groups/:group/breakdown',
    { schema: { params, querystring: FieldsQuery, response: { 200: BillingBreakdown } } },
    async ({ caller, view, params: { group: id } }) => {
      const group = await billingGroupFor(store, caller, id);
      return breakdownResource(group, await spendingByProject(store, caller, group), view);
    },
  );
}

function invoiceRoutes(app: App, services: HasStore & HasClock): void {
  app.get(
    '/billing/invoices',
    {
      schema: { querystring: InvoiceListQuery, response: { 200: PageOf(InvoiceResource) } },
      config: { listFields: INVOICE_LIST_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit, billing_group } = request.query;
      const invoices = await listInvoices(services, request.caller, billing_group);
      const items = invoices.slice(offset, offset + limit).map((each) => invoiceResource(each, request.view));
      return pageAnswer(request, reply, { offset, limit, items, total: invoices.length });
    },
  );

  app.get(
    '/billing/invoices/:id',
    {
      schema: {
        params: Type.Object({ id: Type.String() }),
        querystring: FieldsQuery,
        response: { 200: InvoiceResource },
      },
    },
    async ({ caller, view, params }) => invoiceResource(await findInvoice(services, caller, params.id), view),
  );
}
