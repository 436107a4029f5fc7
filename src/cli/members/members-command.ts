import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';
import { repeated } from '../repeated.ts';
import type { MembersOptions } from './edit-members.ts';
import { type MemberTree, PERMISSIONS } from './permissions.ts';

/** Adds `members` to the commands on projects, or volumes. */
export function withMembers(command: Command, tree: MemberTree): void {
  const word = command.name();
  const members = command
    .command('members')
    .description(`Show the members of a ${word}, add some, change what they may do, or remove some.`)
    .argument(`<${word}>`, 'owner/name, or its directory in a mount')
    .option(
      '--set <user=permissions>',
      `add a member, or give one these permissions and no others: ${PERMISSIONS[tree].join(', ')}, or all`,
      repeated,
      [],
    )
    .option('--remove <user>', 'remove a member', repeated, [])
    .option('--json', 'print JSON', false);
  withPlatform(members).action(async (given: string, options: MembersOptions & PlatformOptions) =>
    (await import('./edit-members.ts')).editMembers(tree, given, options, contextOf(options, members)),
  );
}
