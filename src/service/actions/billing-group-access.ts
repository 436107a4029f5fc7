import type { Caller } from '../caller.ts';
import { ServiceError } from '../service-error.ts';
import type { BillingGroupRow } from '../store/billing-groups.ts';
import type { Store } from '../store/store.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A billing group the caller may put a project into. @throws ServiceError 4005, 4002 */
export async function billingGroupFor(store: Store, caller: Caller, id: string): Promise<BillingGroupRow> {
  if (!UUID.test(id)) throw new ServiceError(4005);
  const group = await store.billingGroups.find(id);
  if (group === undefined || group.owner !== caller.username) throw new ServiceError(4002);
  return group;
}
