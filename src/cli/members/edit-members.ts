import type { MemberRecord } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { collect, pagesInOrder } from '../../lib/pages-in-order.ts';
import { printJson, printTable } from '../describe/print-table.ts';
import { CliError } from '../exit-codes.ts';
import { onItem, type ReachedItem } from '../platform/find-item.ts';
import type { Context } from '../platform/find-places.ts';
import { describePermissions, type MemberTree, parseSetting, type Setting } from './permissions.ts';

export interface MembersOptions {
  /** `USER=PERMISSIONS` */
  readonly set: readonly string[];
  readonly remove: readonly string[];
  readonly json: boolean;
}

/** Changes the members of a project or volume as asked, and shows those that there are then. */
export async function editMembers(
  tree: MemberTree,
  given: string,
  options: MembersOptions,
  context: Context,
): Promise<void> {
  const settings = options.set.map((text) => parseSetting(tree, text));
  const twice = [...settings.map(({ username }) => username), ...options.remove].find(
    (name, index, all) => all.indexOf(name) !== index,
  );
  if (twice !== undefined) throw new CliError('usage', `${twice} is named twice`);
  await onItem(tree, given, context, async (item) => {
    const { signal } = context;
    let members = await membersOf(tree, item, signal);
    for (const setting of settings) await setMember(tree, item, { members, setting, signal });
    for (const username of options.remove) {
      if (!members.some((member) => member.username === username))
        throw new CliError('failure', `${username} is no member of ${item.id}`);
      await item.platform.api[tree].removeMember(item.id, username);
    }
    if (settings.length + options.remove.length > 0) {
      await item.platform.onItemsChanged([{ tree, id: item.id }]);
      members = await membersOf(tree, item, signal);
    }
    show(members, options.json);
  });
}

async function membersOf(
  tree: MemberTree,
  { platform, id }: ReachedItem,
  signal: AbortSignal,
): Promise<readonly MemberRecord[]> {
  const pages = pagesInOrder<MemberRecord & { readonly id: string; readonly name: string }>(
    async (page, pageSignal) => {
      const { items, ...rest } = await platform.api[tree].members(id, page, { signal: pageSignal });
      return { ...rest, items: items.map((each) => ({ ...each, id: each.username, name: each.username })) };
    },
    { what: `the members of ${id}`, limit: PAGE_LIMIT_MAX, signal },
  );
  return (await collect(pages)).map(({ username, email, permissions }) => ({ username, email, permissions }));
}

/** A member who is there is edited: the platform refuses to add one twice. */
async function setMember(
  tree: MemberTree,
  { platform, id }: ReachedItem,
  at: { readonly members: readonly MemberRecord[]; readonly setting: Setting; readonly signal: AbortSignal },
): Promise<void> {
  const { members, setting } = at;
  const there = members.find(({ username }) => username === setting.username);
  if (there === undefined) return platform.api[tree].addMember(id, setting);
  if (describePermissions(there.permissions) === describePermissions(setting.permissions)) return;
  await platform.api[tree].setPermissions(id, setting);
}

function show(members: readonly MemberRecord[], json: boolean): void {
  if (json) {
    printJson(members);
    return;
  }
  printTable(
    members,
    {
      USER: ({ username }) => username,
      PERMISSIONS: ({ permissions }) => describePermissions(permissions),
      EMAIL: ({ email = null }) => email,
    },
    'no members',
  );
}
