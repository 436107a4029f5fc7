/**
 * `projects/<owner>/<project>` and `volumes/<owner>/<volume>`: two levels made from one catalog.
 *
 * The contents of a project or volume are asked for when an entry inside is: listing an owner with a hundred projects
 * costs as much as with one.
 *
 * A name that the catalog lacks is asked for when a program names it, so that a project made elsewhere is found at once.
 * The answer counts for a moment: programs name what is not there again and again.
 */

import { FsError } from '../errors/fs-error.ts';
import { canBeGiven, nameOnPlatform, shownName } from '../model/escape.ts';
import type { KnownEntries, VirtualEntry, VirtualSource } from '../model/node.ts';
import type { NodeMaker } from '../model/node-maker.ts';
import type { Catalog, Known } from './catalog.ts';

export interface OwnedItem {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
}

export interface OwnersOptions<T extends OwnedItem> {
  readonly catalog: Catalog<T>;
  readonly make: NodeMaker;
  readonly ttlMs: number;
  /** The directory name of an item below its owner. */
  readonly nameOf: (item: T) => string;
  readonly makeItem: (item: T) => VirtualEntry['make'];
}

/** The owners there are. */
export function owners<T extends OwnedItem>(options: OwnersOptions<T>): VirtualSource {
  const { catalog, make } = options;
  const entriesOf = (items: readonly T[]): readonly VirtualEntry[] =>
    [...new Set(items.map((item) => item.owner))].map((owner) => ({
      name: shownName(owner, 'entry'),
      make: (place) => make.virtualDirectory(place, itemsOf(owner, options)),
    }));
  return {
    ...sourceOver(options, entriesOf),
    // The platform tells of no owner: only what one owns does.
    find: async (name, signal) =>
      isOwnName(name) && catalog.mayHaveOwner(nameOnPlatform(name))
        ? entriesOf((await catalog.withOwner(signal)).items).find((entry) => entry.name === name)
        : undefined,
  };
}

function itemsOf<T extends OwnedItem>(owner: string, options: OwnersOptions<T>): VirtualSource {
  const { catalog, nameOf, makeItem } = options;
  const entriesOf = (items: readonly T[]): readonly VirtualEntry[] =>
    items
      .filter((item) => item.owner === owner)
      .map((item) => ({ name: shownName(nameOf(item), 'entry'), make: makeItem(item) }));
  const source = sourceOver(options, entriesOf);
  return {
    ...source,
    entries: async (signal) => {
      const known = await source.entries(signal);
      // An owner is there by what the user may see of theirs. To show none would be an empty directory.
      if (known.entries.length === 0) throw new FsError('ENOENT', `nothing of ${owner} can be seen any more`);
      return known;
    },
    find: async (name, signal) => {
      if (!isOwnName(name)) return undefined;
      const found = await catalog.find(`${owner}/${nameOnPlatform(name)}`, signal);
      return found && entriesOf([found]).find((entry) => entry.name === name);
    },
  };
}

/** Whether a project, volume or owner can have that name: shells and file managers look for `.git` and the like everywhere. */
function isOwnName(name: string): boolean {
  return !name.startsWith('.') && canBeGiven(name);
}

function sourceOver<T extends OwnedItem>(
  { catalog, ttlMs }: OwnersOptions<T>,
  entriesOf: (items: readonly T[]) => readonly VirtualEntry[],
): VirtualSource {
  const of = ({ items, learntMs }: Known<T>): KnownEntries => ({ entries: entriesOf(items), learntMs });
  return {
    ttlMs,
    absenceTtlMs: 0,
    entries: async (signal) => of(await catalog.all(signal)),
    expire: () => catalog.expire(),
    expected: async (signal) => {
      const known = await catalog.expected(signal);
      return known && of(known);
    },
  };
}
