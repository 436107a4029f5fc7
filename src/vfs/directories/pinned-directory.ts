import type { Api } from '../../api/api.ts';
import type { BulkResult, EntryRecord } from '../../api/model.ts';
import { BULK_ITEMS_MAX } from '../../contract/limits.ts';
import { inGroups } from '../../lib/in-groups.ts';
import { learnPinned } from '../model/learn-pinned.ts';
import type { KnownEntries, Project, ProjectFileNode, VirtualEntry, VirtualSource } from '../model/node.ts';
import type { NodeMaker } from '../model/node-maker.ts';
import { objectOfPin, type Pin, type PinnedFile, recordOfPin } from '../model/pin.ts';
import { directory } from './fixed-directory.ts';

export interface PinnedParts {
  readonly api: Pick<Api, 'files'>;
  readonly make: NodeMaker;
  readonly ttlMs: number;
}

/** A file, and the rest of its path from the directory that is made. */
interface Below {
  readonly names: readonly string[];
  readonly file: PinnedFile;
}

/** Exactly the files of a manifest, at the paths that it gives them. */
export function pinnedDirectory(files: readonly PinnedFile[], parts: PinnedParts): VirtualSource {
  return level(
    files.map((file) => ({ names: file.path.split('/'), file })),
    parts,
  );
}

function level(all: readonly Below[], parts: PinnedParts): VirtualSource {
  const files: PinnedEntry[] = [];
  const folders = new Map<string, Below[]>();
  for (const { names, file } of all) {
    const [name = '', ...rest] = names;
    if (rest.length === 0) files.push(new PinnedEntry(name, file, parts.make));
    else {
      const below = folders.get(name) ?? [];
      below.push({ names: rest, file });
      folders.set(name, below);
    }
  }
  const fixed: readonly VirtualEntry[] = [
    ...[...folders].map(([name, below]) => directory(name, level(below, parts), parts.make)),
    ...files.map((file) => file.entry),
  ];
  return {
    ttlMs: parts.ttlMs,
    entries: async (signal): Promise<KnownEntries> => {
      await askAbout(files, parts.api, signal);
      return { entries: fixed };
    },
  };
}

/** Asks about the files of one directory: 100 a request. */
async function askAbout(
  entries: readonly PinnedEntry[],
  api: PinnedParts['api'],
  signal: AbortSignal,
): Promise<void> {
  const asked = entries.filter((entry) => entry.file.id !== undefined);
  for (const some of inGroups(asked, BULK_ITEMS_MAX)) {
    const ids = some.map(({ file }) => file.id ?? '');
    const results = await api.files.bulkGet(ids, { signal });
    for (const [index, entry] of some.entries()) entry.learn(results[index]);
  }
}

class PinnedEntry {
  readonly file: PinnedFile;
  readonly entry: VirtualEntry;
  readonly #project: Project;
  #node: (ProjectFileNode & { readonly pin: Pin }) | undefined;
  /** Undefined: not told, or it could not be asked now. */
  #told: { readonly record: EntryRecord | undefined } | undefined;

  constructor(name: string, file: PinnedFile, make: NodeMaker) {
    this.file = file;
    this.#project = { id: file.project ?? '', record: undefined };
    this.entry = { name, make: (place) => this.#make(place, make) };
  }

  learn(result: BulkResult<EntryRecord> | undefined): void {
    if (result?.ok) this.#told = { record: result.value };
    else if (result?.failure.status === NOT_FOUND) this.#told = { record: undefined };
    else return;
    if (this.#node) learnPinned(this.#node, this.#told.record);
  }

  #make(place: Parameters<VirtualEntry['make']>[0], make: NodeMaker): ReturnType<VirtualEntry['make']> {
    const { file } = this;
    const pin: Pin = { file, change: undefined };
    const { id, object } = file;
    if (id === undefined && object) {
      const record = objectOfPin(file, object);
      const volume = { id: object.volume, record: undefined };
      return make.volumeObject(place, volume, { location: object.location, record, pin });
    }
    const record = recordOfPin({ ...file, id: id ?? '' });
    const made = make.projectFile(place, this.#project, { record, link: undefined, pin });
    const node = Object.assign(made, { pin });
    if (object?.etag !== undefined) node.object = { etag: object.etag, sizeBytes: file.sizeBytes };
    if (this.#told) learnPinned(node, this.#told.record);
    this.#node = node;
    return node;
  }
}

const NOT_FOUND = 404;
