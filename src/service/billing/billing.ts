/** The front door: the parts of billing that other subjects may use. */
export { billingGroupFor } from './billing-group-access.ts';
export { billingGroupsIn } from './billing-group-table.ts';
export { type ChargeRow, chargesIn } from './charge-table.ts';
export { costOfTask } from './money.ts';
