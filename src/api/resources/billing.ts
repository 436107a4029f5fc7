import type { BillingApi } from '../compute.ts';
import { parseBillingGroup, parseBreakdown } from '../parse/billing.ts';
import { parsePage } from '../parse/page.ts';
import type { Caller } from '../transport/caller.ts';

/** The billing calls (API document, Billing; undocumented-calls, 1.12). */
export function billingApi(call: Caller): BillingApi {
  return {
    groups: ({ offset, limit }, options) =>
      call(
        {
          route: 'GET /billing/groups',
          query: { offset, limit },
          exact: true,
          parse: (_, answer) => parsePage(answer, offset, parseBillingGroup),
        },
        options,
      ),

    group: (id, options) =>
      call(
        { route: 'GET /billing/groups/{id}', path: { id }, exact: true, parse: parseBillingGroup },
        options,
      ),

    breakdown: (id, options) =>
      call(
        { route: 'GET /billing/groups/{id}/breakdown', path: { id }, exact: true, parse: parseBreakdown },
        options,
      ),
  };
}
