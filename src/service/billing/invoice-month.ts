import { ServiceError } from '../http/service-error.ts';
import { storedTime } from '../store/stored-time.ts';

/** The bills of a group: one for each calendar month in which a task was begun. */
export interface InvoiceMonth {
  readonly billingGroup: string;
  /** `YYYY-MM`, in UTC. */
  readonly month: string;
}

export function invoiceId({ billingGroup, month }: InvoiceMonth): string {
  return `${billingGroup}-${month}`;
}

/** @throws ServiceError 4002 */
export function parseInvoiceId(id: string): InvoiceMonth {
  const [, billingGroup, month] = /^([0-9a-f-]{36})-(\d{4}-(?:0[1-9]|1[0-2]))$/.exec(id) ?? [];
  if (billingGroup === undefined || month === undefined) throw new ServiceError(4002, 'No such invoice.');
  return { billingGroup, month };
}

/** When the month begins, and when the next does. */
export function monthSpan(month: string): { readonly from: string; readonly before: string } {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return { from: storedTime(Date.UTC(year, number - 1)), before: storedTime(Date.UTC(year, number)) };
}
