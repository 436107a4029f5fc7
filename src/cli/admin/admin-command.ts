import type { Command } from 'commander';
import { ADMIN_OPTIONS, type AdminOptions } from '../../config/admin-options.ts';
import type { Option } from '../../config/option.ts';
import { addOptions } from '../add-options.ts';
import { requireOpenFiles } from '../require-open-files.ts';
import type { Administration } from './administer.ts';

/** A group of commands, such as `svcfs admin users`. */
export function adminGroup(admin: Command, name: string, description: string): Command {
  return admin.command(name).description(description).helpCommand(false);
}

/** A command that works on a service's database. Arguments are added to what is returned. */
export function adminCommand(
  group: Command,
  name: string,
  about: { readonly description: string; readonly options?: Readonly<Record<string, Option<unknown>>> },
): Command {
  const command = group.command(name).description(about.description);
  return addOptions(command, { ...about.options, ...ADMIN_OPTIONS });
}

/** `administer`, loaded only now: the modules of the service take half a second, which no other command is to wait for. */
export async function withOperator<Result>(
  options: AdminOptions,
  work: (administration: Administration) => Promise<Result>,
): Promise<Result> {
  await requireOpenFiles();
  const { administer } = await import('./administer.ts');
  return administer(options, work);
}
