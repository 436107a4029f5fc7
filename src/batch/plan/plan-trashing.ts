/** `svcfs rm` where what is removed is kept: files and folders are moved to the trash of their project (decision 0059). */
import type { PlacesApi } from '../../places/asking.ts';
import { entriesNamed } from '../../places/find-any.ts';
import { type FolderPlace, Places, placeIn } from '../../places/places.ts';
import { describePath } from '../../places/platform-path.ts';
import { TRASH } from '../../places/trash-folder.ts';
import { dayOf, nameInTrash } from '../../trash/trash-name.ts';
import type { FolderRef, Step } from '../step.ts';
import { CollectedSteps } from './collected-steps.ts';
import type { Removal } from './plan-removal.ts';

interface TrashingPlan {
  readonly api: PlacesApi;
  readonly signal: AbortSignal;
  readonly nowMs: number;
  /** Told of what cannot be moved there. The rest goes on. */
  readonly onRefused: (source: string, reason: string) => void;
}

/** A folder of today's trash: with its place when it is there, else only named. */
interface TrashFolder {
  readonly ref: FolderRef;
  readonly path: string;
  readonly place: FolderPlace | undefined;
}

/** Looks are made here; nothing is changed. Folders of the day that are not there come first. */
export async function planTrashing(
  removals: readonly Removal[],
  planning: TrashingPlan,
): Promise<readonly Step[]> {
  const steps = new CollectedSteps('move');
  const folders = new TodaysTrash(planning, steps);
  const known = new Set<string>();
  for (const inFolder of byFolder(removals)) {
    const [first] = inFolder;
    if (first === undefined) continue;
    if (first.place.names[0] === TRASH) {
      for (const { source } of inFolder)
        planning.onRefused(source, 'it is in the trash already: svcfs trash empty deletes it for good');
      continue;
    }
    const { project, names } = first.place;
    const trash = await folders.of(project, names.slice(0, -1));
    const wanted = new Set(inFolder.map(({ place }) => nameOf(place.names)));
    const there =
      trash.place === undefined
        ? new Map<string, unknown>()
        : await entriesNamed(trash.place, wanted, planning);
    for (const { source, place, bytes } of inFolder) {
      const isFile = place.kind === 'file';
      const { id, parent } = isFile ? place.file : place;
      if (known.has(id)) continue;
      known.add(id);
      const plain = nameOf(place.names);
      const name = nameInTrash(plain, planning.nowMs, { isTaken: there.has(plain) });
      const item = {
        source,
        target: `${trash.path}/${name}`,
        id,
        from: { parent, name: plain },
        to: { parent: trash.ref, name },
        bytes: isFile ? place.file.sizeBytes : bytes,
        leavesProject: false,
      };
      if (isFile) steps.file(item);
      else steps.tree(item);
    }
  }
  return steps.steps();
}

function byFolder(removals: readonly Removal[]): readonly (readonly Removal[])[] {
  const found = new Map<string, Removal[]>();
  for (const removal of removals) {
    const { project, names } = removal.place;
    const key = [project, ...names.slice(0, -1)].join('/');
    const known = found.get(key) ?? [];
    found.set(key, known);
    known.push(removal);
  }
  return [...found.values()];
}

class TodaysTrash {
  readonly #planning: TrashingPlan;
  readonly #steps: CollectedSteps;
  readonly #places: Places;
  readonly #known = new Map<string, Promise<TrashFolder>>();

  constructor(planning: TrashingPlan, steps: CollectedSteps) {
    this.#planning = planning;
    this.#steps = steps;
    this.#places = new Places(planning);
  }

  /** For what is removed from a folder, by its names from the root folder of the project down. */
  of(project: string, names: readonly string[]): Promise<TrashFolder> {
    return this.#at(project, [TRASH, dayOf(this.#planning.nowMs), ...names]);
  }

  #at(project: string, names: readonly string[]): Promise<TrashFolder> {
    const key = [project, ...names].join('/');
    const known = this.#known.get(key) ?? this.#find(project, names);
    this.#known.set(key, known);
    return known;
  }

  async #find(project: string, names: readonly string[]): Promise<TrashFolder> {
    const plain = names.at(-1);
    if (plain === undefined) {
      const place = await this.#places.folder({ project, names });
      return { place, ref: { id: place.id }, path: describePath(place) };
    }
    const above = await this.#at(project, names.slice(0, -1));
    const entry =
      above.place && (await entriesNamed(above.place, new Set([plain]), this.#planning)).get(plain);
    const found = above.place && entry && placeIn(above.place, entry);
    if (found?.kind === 'folder') return { place: found, ref: { id: found.id }, path: describePath(found) };
    const name = nameInTrash(plain, this.#planning.nowMs, { isTaken: entry !== undefined });
    const ref: FolderRef = { id: undefined };
    const path = `${above.path}/${name}`;
    this.#steps.folder(names.length - 1, {
      source: path,
      to: { parent: above.ref, name },
      made: ref,
      untold: true,
    });
    return { place: undefined, ref, path };
  }
}

function nameOf(names: readonly string[]): string {
  return names.at(-1) ?? '';
}
