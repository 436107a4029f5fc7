import type { AdminOptions } from '../../config/admin-options.ts';
import { requireOpenFiles } from '../require-open-files.ts';
import type { Administration } from './administer.ts';

/** `administer`, loaded only now: the modules of the service take half a second, which no other command is to wait for. */
export async function withOperator<Result>(
  options: AdminOptions,
  work: (administration: Administration) => Promise<Result>,
): Promise<Result> {
  await requireOpenFiles();
  const { administer } = await import('./administer.ts');
  return administer(options, work);
}
