import type { Command } from 'commander';
import { ADMIN_OPTIONS } from '../../config/admin-options.ts';
import type { Option } from '../../config/option.ts';
import { addOptions } from '../add-options.ts';

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
