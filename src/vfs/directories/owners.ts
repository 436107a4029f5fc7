/**
 * `projects/<owner>/<project>` and `volumes/<owner>/<volume>`: two levels made from one catalog.
 *
 * What a project or volume is below its directory is asked for when something in it is: listing an owner with a
 * hundred projects costs what listing one costs.
 */
import { shownName } from '../escape.ts';
import type { KnownEntries, VirtualEntry, VirtualSource } from '../node.ts';
import type { NodeMaker } from '../node-maker.ts';
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
  const { make } = options;
  return sourceOver(options, (items) =>
    [...new Set(items.map((item) => item.owner))].map((owner) => ({
      name: shownName(owner, 'entry'),
      make: (place) => make.virtualDirectory(place, itemsOf(owner, options)),
    })),
  );
}

function itemsOf<T extends OwnedItem>(owner: string, options: OwnersOptions<T>): VirtualSource {
  const { nameOf, makeItem } = options;
  return sourceOver(options, (items) =>
    items
      .filter((item) => item.owner === owner)
      .map((item) => ({ name: shownName(nameOf(item), 'entry'), make: makeItem(item) })),
  );
}

function sourceOver<T extends OwnedItem>(
  { catalog, ttlMs }: OwnersOptions<T>,
  entriesOf: (items: readonly T[]) => readonly VirtualEntry[],
): VirtualSource {
  const of = ({ items, learntMs }: Known<T>): KnownEntries => ({ entries: entriesOf(items), learntMs });
  return {
    ttlMs,
    entries: async (signal) => of(await catalog.all(signal)),
    expected: async (signal) => {
      const known = await catalog.expected(signal);
      return known && of(known);
    },
  };
}
