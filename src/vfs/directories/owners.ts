/**
 * `projects/<owner>/<project>` and `volumes/<owner>/<volume>`: two levels made from one catalog.
 *
 * What a project or volume is below its directory is asked for when something in it is: listing an owner with a
 * hundred projects costs what listing one costs.
 */
import { shownName } from '../escape.ts';
import type { VirtualEntry, VirtualSource } from '../node.ts';
import type { NodeMaker } from '../node-maker.ts';
import type { Catalog } from './catalog.ts';

export interface OwnedItem {
  readonly id: string;
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
  const { catalog, make, ttlMs } = options;
  return {
    ttlMs,
    entries: async (signal) => {
      const names = new Set((await catalog.all(signal)).map((item) => item.owner));
      return [...names].map((owner) => ({
        name: shownName(owner, 'entry'),
        make: (place) => make.virtualDirectory(place, itemsOf(owner, options)),
      }));
    },
  };
}

function itemsOf<T extends OwnedItem>(owner: string, options: OwnersOptions<T>): VirtualSource {
  const { catalog, ttlMs, nameOf, makeItem } = options;
  return {
    ttlMs,
    entries: async (signal) => {
      const items = (await catalog.all(signal)).filter((item) => item.owner === owner);
      return items.map((item) => ({ name: shownName(nameOf(item), 'entry'), make: makeItem(item) }));
    },
  };
}
