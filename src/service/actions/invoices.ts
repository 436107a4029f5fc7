import { storedTime } from '../api-time.ts';
import type { Caller } from '../caller.ts';
import { type InvoiceMonth, monthOf, monthSpan, parseInvoiceId } from '../rules/invoice-month.ts';
import { ServiceError } from '../service-error.ts';
import type { Services } from '../services.ts';
import type { ChargeRow } from '../store/charges.ts';
import { billingGroupFor } from './billing-group-access.ts';

export interface Invoice extends InvoiceMonth {
  /** The month is not over. */
  readonly pending: boolean;
  /** What its tasks cost. */
  readonly amounts: readonly string[];
}

/** Of one billing group, or of all that the caller owns; newest first. @throws ServiceError 4005, 4002 */
export async function listInvoices(
  { store, clock }: Services,
  caller: Caller,
  billingGroup: string | undefined,
): Promise<Invoice[]> {
  const groups =
    billingGroup === undefined
      ? await store.billingGroups.ownedBy(caller.username)
      : [await billingGroupFor(store, caller, billingGroup)];
  const now = storedTime(clock.now());
  const invoices: Invoice[] = [];
  for (const { id } of groups) {
    const months = byMonth(await store.charges.all({ billingGroup: id }));
    for (const [month, charges] of months)
      invoices.push(invoiceOf({ billingGroup: id, month }, charges, now));
  }
  return invoices.sort((a, b) => (a.month === b.month ? 0 : a.month < b.month ? 1 : -1));
}

/** @throws ServiceError 4002 */
export async function findInvoice({ store, clock }: Services, caller: Caller, id: string): Promise<Invoice> {
  const invoice = parseInvoiceId(id);
  const { billingGroup, month } = invoice;
  await billingGroupFor(store, caller, billingGroup);
  const charges = await store.charges.all({ billingGroup, ...monthSpan(month) });
  if (charges.length === 0) throw new ServiceError(4002, 'No such invoice.');
  return invoiceOf(invoice, charges, storedTime(clock.now()));
}

function byMonth(charges: readonly ChargeRow[]): Map<string, ChargeRow[]> {
  const months = new Map<string, ChargeRow[]>();
  for (const charge of charges) {
    const month = monthOf(charge.time_started);
    const ofMonth = months.get(month);
    if (ofMonth === undefined) months.set(month, [charge]);
    else ofMonth.push(charge);
  }
  return months;
}

function invoiceOf(invoice: InvoiceMonth, charges: readonly ChargeRow[], now: string): Invoice {
  const pending = now < monthSpan(invoice.month).before;
  return { ...invoice, pending, amounts: charges.map(({ amount }) => amount) };
}
