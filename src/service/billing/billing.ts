/** What other subjects may use of billing. */
export { billingGroupFor } from './billing-group-access.ts';
export { billingGroupsIn } from './billing-group-table.ts';
export { type ChargeRow, chargesIn } from './charge-table.ts';
export { costOfTask } from './money.ts';
