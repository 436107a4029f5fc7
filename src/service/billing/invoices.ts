import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { billingGroupFor } from './billing-group-access.ts';
import { billingGroupsIn } from './billing-group-table.ts';
import { chargesIn } from './charge-table.ts';
import { type InvoiceMonth, monthSpan, parseInvoiceId } from './invoice-month.ts';

export interface Invoice extends InvoiceMonth {
  /** The month is not over. */
  readonly pending: boolean;
  /** The cost of its tasks, in millionths. */
  readonly micros: number;
}

/** Of one billing group, or of all that the caller owns; newest first. @throws ServiceError 4005, 4002 */
export async function listInvoices(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  billingGroup: string | undefined,
): Promise<Invoice[]> {
  const groups =
    billingGroup === undefined
      ? await billingGroupsIn(store).ownedBy(caller.username)
      : [await billingGroupFor(store, caller, billingGroup)];
  const now = storedTime(clock.now());
  const invoices: Invoice[] = [];
  for (const { id } of groups) {
    const months = await chargesIn(store).byMonth({ billingGroup: id });
    for (const spending of months) invoices.push(invoiceOf({ billingGroup: id, ...spending }, now));
  }
  return invoices.sort((a, b) => (a.month === b.month ? 0 : a.month < b.month ? 1 : -1));
}

/** @throws ServiceError 4002 */
export async function findInvoice(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  id: string,
): Promise<Invoice> {
  const invoice = parseInvoiceId(id);
  const { billingGroup, month } = invoice;
  await billingGroupFor(store, caller, billingGroup);
  const [spending] = await chargesIn(store).byMonth({ billingGroup, ...monthSpan(month) });
  if (spending === undefined) throw new ServiceError(4002, 'No such invoice.');
  return invoiceOf({ ...invoice, micros: spending.micros }, storedTime(clock.now()));
}

function invoiceOf(invoice: Omit<Invoice, 'pending'>, now: string): Invoice {
  const { billingGroup, month, micros } = invoice;
  return { billingGroup, month, micros, pending: now < monthSpan(month).before };
}
