import { type Static, Type } from 'typebox';
import { Cost, Money } from './money.ts';
import { pageQueryProperties } from './paging.ts';
import { Timestamp } from './schema-kinds.ts';

/** `GET /billing`. */
export const BillingRoot = Type.Object({
  href: Type.String(),
  billing_groups_url: Type.String(),
  invoices_url: Type.String(),
});
export type BillingRoot = Static<typeof BillingRoot>;

export const BillingGroupResource = Type.Object({
  href: Type.String(),
  /** A UUID. */
  id: Type.String(),
  owner: Type.String(),
  name: Type.String(),
  type: Type.String(),
  pending: Type.Boolean(),
  disabled: Type.Boolean(),
  balance: Type.Object({ currency: Type.String(), amount: Type.Number() }),
});
export type BillingGroupResource = Static<typeof BillingGroupResource>;

/** Fields of an item of `GET /billing/groups` when `fields` is not given. */
export const BILLING_GROUP_LIST_FIELDS = ['href', 'id', 'name'] as const;

/** `GET /billing/groups/{id}/breakdown`: every project of the group, also one where nothing was spent. */
export const BillingBreakdown = Type.Object({
  href: Type.String(),
  project_breakdown: Type.Array(
    Type.Object({
      /** Left out where the caller is no member, or the project is gone. */
      href: Type.Optional(Type.String()),
      analysis_spending: Money,
      task_breakdown: Type.Array(
        Type.Object({
          href: Type.String(),
          runner_username: Type.String(),
          time_started: Timestamp,
          time_finished: Type.Optional(Timestamp),
          task_cost: Money,
        }),
      ),
    }),
  ),
  total_spending: Money,
});
export type BillingBreakdown = Static<typeof BillingBreakdown>;

/** Days are `mm-dd-yyyy`, both included. */
export const BreakdownQuery = Type.Object({
  ...pageQueryProperties,
  date_from: Type.Optional(Type.String()),
  date_to: Type.Optional(Type.String()),
  invoice_id: Type.Optional(Type.String()),
});
export type BreakdownQuery = Static<typeof BreakdownQuery>;

/** `GET /billing/groups/{id}/breakdown/analysis`: an entry for each task that was run. */
export const AnalysisSpending = Type.Object({
  analysis_type: Type.String(),
  analysis_id: Type.String(),
  analysis_name: Type.String(),
  analysis_app_name: Type.String(),
  analysis_status: Type.String(),
  project_name: Type.String(),
  project_locked: Type.Boolean(),
  ran_by: Type.String(),
  analysis_cost: Cost,
  refunded_amount: Type.String(),
  time_started: Timestamp,
  time_finished: Type.Optional(Timestamp),
});
export type AnalysisSpending = Static<typeof AnalysisSpending>;

const StoredAmount = Type.Object({
  /** A decimal number of `unit`. */
  size: Type.String(),
  unit: Type.String(),
  cost: Money,
});

/** `GET /billing/groups/{id}/breakdown/storage`: an entry for each project that stores anything. */
export const StorageSpending = Type.Object({
  project_name: Type.String(),
  project_created_by: Type.String(),
  project_locked: Type.Boolean(),
  location: Type.String(),
  active: StoredAmount,
  archived: StoredAmount,
});
export type StorageSpending = Static<typeof StorageSpending>;

/** `GET /billing/groups/{id}/breakdown/egress`. */
export const EgressSpending = Type.Object({
  project_name: Type.String(),
  project_locked: Type.Boolean(),
  downloaded_by: Type.String(),
  downloaded: Type.Object({ size: Type.String(), unit: Type.String() }),
  egress_cost: Money,
});
export type EgressSpending = Static<typeof EgressSpending>;

/** The cost to a billing group of the tasks that began in one calendar month (UTC); pending until the month is over. */
export const InvoiceResource = Type.Object({
  href: Type.String(),
  id: Type.String(),
  pending: Type.Boolean(),
  invoice_period: Type.Object({ from: Timestamp, to: Timestamp }),
  analysis_costs: Money,
  storage_costs: Money,
  total: Money,
});
export type InvoiceResource = Static<typeof InvoiceResource>;

export const INVOICE_LIST_FIELDS = Object.keys(InvoiceResource.properties);

export const InvoiceListQuery = Type.Object({
  ...pageQueryProperties,
  billing_group: Type.Optional(Type.String()),
});
export type InvoiceListQuery = Static<typeof InvoiceListQuery>;
