import type { Amount, BillingBreakdown, BillingGroup } from '../model.ts';
import { amountAt } from './amount.ts';
import {
  arrayAt,
  asObject,
  booleanAt,
  optionalTextAt,
  optionalTimeAt,
  textAt,
  UnexpectedShape,
  type WireObject,
} from './wire.ts';

export function parseBillingGroup(body: unknown): BillingGroup {
  const object = asObject(body, 'billing group');
  const id = textAt(object, 'id');
  return {
    id,
    name: optionalTextAt(object, 'name') ?? id,
    owner: optionalTextAt(object, 'owner'),
    type: optionalTextAt(object, 'type'),
    isDisabled: booleanAt(object, 'disabled'),
    balance: amountAt(object, 'balance'),
  };
}

export function parseBreakdown(body: unknown): BillingBreakdown {
  const object = asObject(body, 'breakdown');
  return {
    total: spentAt(object, 'total_spending'),
    projects: arrayAt(object, 'project_breakdown').map(parseProjectSpending),
    wire: object,
  };
}

function parseProjectSpending(entry: unknown): BillingBreakdown['projects'][number] {
  const object = asObject(entry, 'spending of a project');
  return {
    project: idAt(object, '/projects/'),
    spent: spentAt(object, 'analysis_spending'),
    tasks: arrayAt(object, 'task_breakdown').map((each) => {
      const task = asObject(each, 'spending of a task');
      return {
        id: idAt(task, '/tasks/'),
        runBy: optionalTextAt(task, 'runner_username') ?? '',
        startedMs: optionalTimeAt(task, 'time_started'),
        endedMs: optionalTimeAt(task, 'time_finished'),
        cost: spentAt(task, 'task_cost'),
      };
    }),
  };
}

/** The id that an address ends in. */
function idAt(object: WireObject, after: string): string | undefined {
  const href = optionalTextAt(object, 'href');
  const at = href?.lastIndexOf(after) ?? -1;
  return href === undefined || at < 0 ? undefined : decodeURIComponent(href.slice(at + after.length));
}

function spentAt(object: WireObject, key: string): Amount {
  const amount = amountAt(object, key);
  if (amount === undefined) throw new UnexpectedShape(`there is no amount ${key}`);
  return amount;
}
