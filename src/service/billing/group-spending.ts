import type { BreakdownQuery } from '../../contract/billing.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { type ProjectRow, projectsIn } from '../members/members.ts';
import type { RowPage } from '../store/page-range.ts';
import type { Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import type { BillingGroupRow } from './billing-group-table.ts';
import type { ProjectSpending } from './billing-resource.ts';
import { type ChargeListing, type ChargeRow, chargesIn, type StoredBytes } from './charge-table.ts';
import { monthSpan, parseInvoiceId } from './invoice-month.ts';

/** Every project that is billed to the group, or was when a task of it was run; by id. */
export async function spendingByProject(
  store: Store,
  caller: Caller,
  group: BillingGroupRow,
): Promise<ProjectSpending[]> {
  const charges = await chargesIn(store).all({ billingGroup: group.id });
  const projects = await projectsIn(store).billedTo(group.id);
  const chargesOf = new Map<string, ChargeRow[]>(projects.map(({ id }) => [id, []]));
  for (const charge of charges) {
    const known = chargesOf.get(charge.project_id);
    if (known === undefined) chargesOf.set(charge.project_id, [charge]);
    else known.push(charge);
  }
  const ids = [...chargesOf.keys()].sort();
  const joined = await projectsIn(store).joinedOf(caller.username, ids);
  return ids.map((projectId) => ({
    projectId,
    shown: joined.has(projectId),
    charges: chargesOf.get(projectId) ?? [],
  }));
}

/** Which charges a breakdown is asked for: of the days named that lie in the invoice named. @throws ServiceError 90000, 4002 */
export function chargesAskedFor({ id }: BillingGroupRow, query: BreakdownQuery): ChargeListing {
  const days = daySpan(query.date_from, query.date_to);
  if (query.invoice_id === undefined) return { billingGroup: id, ...days };
  const { billingGroup, month } = parseInvoiceId(query.invoice_id);
  if (billingGroup !== id) throw new ServiceError(4002, 'The billing group has no such invoice.');
  const { from, before } = monthSpan(month);
  return {
    billingGroup: id,
    from: days.from !== undefined && days.from > from ? days.from : from,
    before: days.before !== undefined && days.before < before ? days.before : before,
  };
}

/** The bytes stored in each project of the group that stores any; by id. */
export async function storedByProject(
  store: Store,
  group: BillingGroupRow,
  { offset, limit }: BreakdownQuery,
): Promise<RowPage<{ readonly project: ProjectRow; readonly stored: StoredBytes }>> {
  const projects = new Map((await projectsIn(store).billedTo(group.id)).map((row) => [row.id, row]));
  const stored = await chargesIn(store).storedIn([...projects.keys()]);
  const rows = stored.slice(offset, offset + limit).flatMap((bytes) => {
    const project = projects.get(bytes.projectId);
    return project === undefined ? [] : [{ project, stored: bytes }];
  });
  return { rows, total: stored.length };
}

const US_DAY = /^(\d\d)-(\d\d)-(\d{4})$/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Stored instants around the days named, `mm-dd-yyyy`, both included. @throws ServiceError 90000 */
function daySpan(
  from: string | undefined,
  to: string | undefined,
): { readonly from?: string | undefined; readonly before?: string | undefined } {
  return {
    from: from === undefined ? undefined : storedTime(parseDay(from)),
    before: to === undefined ? undefined : storedTime(parseDay(to) + DAY_MS),
  };
}

function parseDay(text: string): number {
  const [, month, day, year] = US_DAY.exec(text) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  // The 30th of February would be taken for a day in March.
  if (Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(day)) {
    throw new ServiceError(90000, 'A day has the form mm-dd-yyyy.');
  }
  return ms;
}
