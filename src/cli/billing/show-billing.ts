import type { Amount, BillingBreakdown, BillingGroup } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { printExactly } from '../../lib/exact-json.ts';
import { collect, pagesInOrder } from '../../lib/pages-in-order.ts';
import { printTable } from '../describe/print-table.ts';
import { CliError } from '../exit-codes.ts';
import type { Context } from '../platform/find-places.ts';
import type { Platform } from '../platform/platform.ts';
import { onPlatform } from '../platform/reach-platform.ts';

export interface BillingOptions {
  readonly tasks: boolean;
  readonly json: boolean;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Lists the billing groups, or what one of them paid for. Amounts are printed as the platform wrote them. */
export async function showBilling(
  given: string | undefined,
  options: BillingOptions,
  context: Context,
): Promise<void> {
  const { signal } = context;
  await onPlatform(context, async ({ platform }) => {
    if (given === undefined) return printGroups(await groupsOf(platform, signal), options);
    const id = UUID.test(given) ? given : idNamed(given, await groupsOf(platform, signal));
    const breakdown = await platform.api.billing.breakdown(id, { signal });
    if (options.json) console.log(printExactly(breakdown.wire, 2));
    else if (options.tasks) printTasks(breakdown);
    else printProjects(breakdown);
  });
}

function groupsOf({ api }: Platform, signal: AbortSignal): Promise<readonly BillingGroup[]> {
  const pages = pagesInOrder<BillingGroup>(
    (page, pageSignal) => api.billing.groups(page, { signal: pageSignal }),
    { what: 'the list of billing groups', limit: PAGE_LIMIT_MAX, signal },
  );
  return collect(pages);
}

function idNamed(name: string, groups: readonly BillingGroup[]): string {
  const [found, ...others] = groups.filter((group) => group.name === name);
  if (found === undefined)
    throw new CliError('failure', `you see no billing group of the name ${name}; svcfs billing lists them`);
  if (others.length > 0)
    throw new CliError('usage', `several billing groups have the name ${name}: give an id (svcfs billing)`);
  return found.id;
}

function printGroups(groups: readonly BillingGroup[], { json }: BillingOptions): void {
  if (json) {
    console.log(
      printExactly(
        groups.map(({ id, name }) => ({ id, name })),
        2,
      ),
    );
    return;
  }
  printTable(groups, { ID: ({ id }) => id, NAME: ({ name }) => name }, 'you see no billing group');
}

function printProjects({ projects, total }: BillingBreakdown): void {
  const rows = projects.map(({ project = HIDDEN, tasks, spent }) => ({
    project,
    tasks: tasks.length,
    spent,
  }));
  const sum = { project: 'total', tasks: rows.reduce((count, { tasks }) => count + tasks, 0), spent: total };
  printTable(
    [...rows, sum],
    {
      PROJECT: ({ project }) => project,
      TASKS: ({ tasks }) => String(tasks),
      AMOUNT: ({ spent }) => describeAmount(spent),
    },
    '',
  );
}

/** Of a project that the user is no member of, or that is gone. */
const HIDDEN = '(not shown)';

function printTasks({ projects, total }: BillingBreakdown): void {
  const rows = projects.flatMap(({ project = HIDDEN, tasks }) => tasks.map((task) => ({ ...task, project })));
  printTable(
    rows,
    {
      PROJECT: ({ project }) => project,
      TASK: ({ id = null }) => id,
      USER: ({ runBy }) => runBy,
      STARTED: ({ startedMs }) => shownTime(startedMs),
      ENDED: ({ endedMs }) => shownTime(endedMs),
      AMOUNT: ({ cost }) => describeAmount(cost),
    },
    `nothing was spent: ${describeAmount(total)}`,
  );
}

function describeAmount({ amount, currency }: Amount): string {
  return `${amount} ${currency}`.trim();
}

function shownTime(ms: number | undefined): string | null {
  return ms === undefined ? null : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
