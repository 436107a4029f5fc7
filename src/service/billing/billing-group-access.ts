import { isUuid } from '../../lib/uuid.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Store } from '../store/store.ts';
import type { BillingGroupRow } from './billing-group-table.ts';
import { billingGroupsIn } from './billing-group-table.ts';

/** A billing group of the caller's: to bill projects to, and to read. To everybody else it does not exist. @throws ServiceError 4005, 4002 */
export async function billingGroupFor(store: Store, caller: Caller, id: string): Promise<BillingGroupRow> {
  if (!isUuid(id)) throw new ServiceError(4005);
  const group = await billingGroupsIn(store).find(id);
  if (group === undefined || group.owner !== caller.username) throw new ServiceError(4002);
  return group;
}
