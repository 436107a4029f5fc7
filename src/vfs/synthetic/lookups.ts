import type { Clock } from '../../lib/clock.ts';
import { SharedFlights } from '../../lib/shared-flights.ts';
import { endsWithTime } from '../errors/errno-of.ts';
import type { NodeId } from '../file-system.ts';
import { inodeNumber } from '../model/inode-number.ts';
import type { SyntheticEntry } from '../model/synthetic.ts';
import { Names } from './names.ts';
import { type DirectoryNode, isSame, type SyntheticNode, ttlLeft } from './node.ts';
import type { SyntheticNodes } from './nodes.ts';
import { staleWhenGone } from './stale-when-gone.ts';

/** From a name to its node: by what still counts, else by the listing, else by asking the directory. */
export class SyntheticLookups {
  readonly #nodes: SyntheticNodes;
  readonly #clock: Clock;
  readonly #flights = new SharedFlights<string, SyntheticNode | undefined>({ endsWithTime });

  constructor(nodes: SyntheticNodes, clock: Clock) {
    this.#nodes = nodes;
    this.#clock = clock;
  }

  async child(
    directory: DirectoryNode,
    name: string,
    signal: AbortSignal,
  ): Promise<SyntheticNode | undefined> {
    const known = directory.children.get(name);
    if (known && ttlLeft(known, this.#clock.elapsed()) > 0) return known;
    return this.#flights.join(`${directory.id}/${name}`, signal, (shared) =>
      this.#find(directory, name, shared),
    );
  }

  /** The listing of a directory that counts: the last one, or a new one, of which nothing is asked for yet. */
  names(directory: DirectoryNode): Names {
    const known = this.#currentNames(directory);
    if (known) return known;
    directory.names = new Names(directory.entry, this.#clock.elapsed());
    return directory.names;
  }

  #currentNames({ names, entry }: DirectoryNode): Names | undefined {
    return names && this.#clock.elapsed() - names.learntMs < entry.entriesTtlMs ? names : undefined;
  }

  async #find(
    directory: DirectoryNode,
    name: string,
    signal: AbortSignal,
  ): Promise<SyntheticNode | undefined> {
    const learntMs = this.#clock.elapsed();
    const listed = this.#currentNames(directory)?.entryOf(name);
    const entry = listed ?? (await staleWhenGone(directory, () => directory.entry.lookup(name, signal)));
    const bytes = entry?.kind === 'file' ? Buffer.from(await entry.render(signal)) : undefined;
    const known = directory.children.get(name);
    if (
      entry &&
      known &&
      isSame(known, entry) &&
      (known.kind !== 'file' || bytes?.equals(known.bytes) === true)
    ) {
      return Object.assign(known, { entry, learntMs });
    }
    if (known) this.#nodes.lose(known);
    return entry && this.#made({ directory, name, learntMs }, entry, bytes);
  }

  #made(
    { directory, name, learntMs }: { directory: DirectoryNode; name: string; learntMs: number },
    entry: SyntheticEntry,
    bytes: Buffer | undefined,
  ): SyntheticNode {
    const base = {
      parent: directory,
      name,
      // The same for all bytes that a file has: cp(1) takes another number for a file that was replaced meanwhile.
      ino: inodeNumber(`${directory.ino}/${name}`),
      isPrivate: directory.isPrivate || (entry.kind === 'directory' && entry.isPrivate === true),
      lookups: 0,
      madeMs: this.#clock.now(),
      learntMs,
      isGone: false,
    };
    return this.#nodes.add((id: NodeId): SyntheticNode => {
      switch (entry.kind) {
        case 'directory':
          return {
            id,
            ...base,
            kind: 'directory',
            entry,
            children: new Map(),
            names: undefined,
            path: undefined,
          };
        case 'file':
          return { id, ...base, kind: 'file', entry, bytes: bytes ?? Buffer.alloc(0) };
        case 'link':
          return { id, ...base, kind: 'link', entry };
        case 'control':
          return { id, ...base, kind: 'control', entry };
      }
    });
  }
}
