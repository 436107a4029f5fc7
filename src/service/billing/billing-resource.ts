import type {
  AnalysisSpending,
  BillingBreakdown,
  BillingGroupResource,
  InvoiceResource,
  StorageSpending,
} from '../../contract/billing.ts';
import type { ProjectSettings } from '../../contract/project.ts';
import type { RequestView } from '../http/request-view.ts';
import type { ProjectRow } from '../members/members.ts';
import { apiTime } from '../store/stored-time.ts';
import type { BillingGroupRow } from './billing-group-table.ts';
import type { ChargeRow, StoredBytes } from './charge-table.ts';
import { invoiceId, monthSpan } from './invoice-month.ts';
import type { Invoice } from './invoices.ts';
import { CURRENCY, costOfTask, money } from './money.ts';

/** The balance is always even: the service keeps account of what is spent, not of what is paid. */
export function billingGroupResource(group: BillingGroupRow, view: RequestView): BillingGroupResource {
  const { id, owner, name, type, disabled } = group;
  return {
    href: view.href(`/billing/groups/${id}`),
    id,
    owner,
    name,
    type,
    pending: false,
    disabled: disabled === 1,
    balance: { currency: CURRENCY, amount: 0 },
  };
}

/** The spending in one project; `shown` when the caller knows of the project. */
export interface ProjectSpending {
  readonly projectId: string;
  readonly shown: boolean;
  readonly charges: readonly ChargeRow[];
}

export function breakdownResource(
  group: BillingGroupRow,
  projects: readonly ProjectSpending[],
  view: RequestView,
): BillingBreakdown {
  return {
    href: view.href(`/billing/groups/${group.id}/breakdown`),
    project_breakdown: projects.map(({ projectId, shown, charges }) => ({
      ...(shown ? { href: view.href(`/projects/${projectId}`) } : {}),
      analysis_spending: money(...charges.map(({ amount_micros }) => amount_micros)),
      task_breakdown: charges.map((charge) => ({
        href: view.href(`/tasks/${charge.task_id}`),
        runner_username: charge.ran_by,
        time_started: apiTime(charge.time_started),
        ...finished(charge),
        task_cost: money(charge.amount_micros),
      })),
    })),
    total_spending: money(
      ...projects.flatMap(({ charges }) => charges.map(({ amount_micros }) => amount_micros)),
    ),
  };
}

/** @param project As it is now; undefined when it is gone. */
export function analysisSpending(charge: ChargeRow, project: ProjectRow | undefined): AnalysisSpending {
  return {
    analysis_type: 'TASK',
    analysis_id: charge.task_id,
    analysis_name: charge.task_name,
    analysis_app_name: charge.app_name,
    analysis_status: charge.status,
    project_name: charge.project_name,
    project_locked: isLocked(project),
    ran_by: charge.ran_by,
    analysis_cost: costOfTask(charge.amount_micros),
    refunded_amount: money(charge.refunded_micros).amount,
    time_started: apiTime(charge.time_started),
    ...finished(charge),
  };
}

/** Storing costs nothing here; how much it is, is told. */
export function storageSpending({ active, archived }: StoredBytes, project: ProjectRow): StorageSpending {
  const bytes = (count: bigint) => ({ size: String(count), unit: 'B', cost: money() });
  return {
    project_name: project.name,
    project_created_by: project.created_by,
    project_locked: isLocked(project),
    location: settingsOf(project).location,
    active: bytes(active),
    archived: bytes(archived),
  };
}

export function invoiceResource(invoice: Invoice, view: RequestView): InvoiceResource {
  const id = invoiceId(invoice);
  const { from, before } = monthSpan(invoice.month);
  return {
    href: view.href(`/billing/invoices/${id}`),
    id,
    pending: invoice.pending,
    invoice_period: { from: apiTime(from), to: apiTime(before) },
    analysis_costs: money(invoice.micros),
    storage_costs: money(),
    total: money(invoice.micros),
  };
}

function finished({ time_finished }: ChargeRow): { time_finished?: string } {
  return time_finished === null ? {} : { time_finished: apiTime(time_finished) };
}

function isLocked(project: ProjectRow | undefined): boolean {
  return project !== undefined && settingsOf(project).locked;
}

function settingsOf({ settings }: ProjectRow): ProjectSettings {
  return JSON.parse(settings);
}
