import { EXIT_CODES } from '../exit-codes.ts';
import type { Context } from '../platform/find-places.ts';
import { describePlans } from './describe-plan.ts';
import { planFile, type TableOptions } from './import-table.ts';

/** Prints what an import would change. As with diff(1), exit code 1 says that there is something. */
export async function diffTable(path: string, options: TableOptions, context: Context): Promise<void> {
  const { plans, platform } = await planFile(path, options, context);
  await platform.close();
  for (const line of describePlans(plans)) console.log(line);
  if (plans.some(({ kind }) => kind !== 'unchanged')) process.exitCode = EXIT_CODES.failure.code;
}
