import type { EntryRecord } from '../../api/model.ts';
import { type DirectoryPlace, describePlace, isDirectoryPlace } from '../../places/any-place.ts';
import { entriesNamed } from '../../places/find-any.ts';
import { listFolder } from '../../places/list-files.ts';
import { type FilePlace, type FolderPlace, type Place, placeIn } from '../../places/places.ts';
import { withoutTrash } from '../../places/trash-folder.ts';
import type { FolderRef, Step, To } from '../step.ts';
import { CollectedSteps } from './collected-steps.ts';
import { ExportPlanner } from './plan-exports.ts';
import { ImportPlanner } from './plan-imports.ts';
import type { Transfer, TransferPlanning } from './transfer.ts';

/** Plans copies or moves on the platform. Looks are made here; nothing is changed. */
export async function planTransfers(
  transfers: readonly Transfer[],
  planning: TransferPlanning,
): Promise<readonly Step[]> {
  const steps = new CollectedSteps(planning.operation);
  const planner = new TransferPlanner(planning, steps);
  const exports = new ExportPlanner(planning, steps);
  const imports = new ImportPlanner(planning, steps);
  const existing = await existingTargets(transfers, planning);
  const targets = new Set<string>();
  for (const transfer of transfers) {
    const { source, place, to } = transfer;
    const path = `${describePlace(to.directory)}/${to.name}`;
    const isTwice = targets.has(path);
    targets.add(path);
    const isOnVolume = place.kind === 'object' || place.kind === 'prefix';
    if (isTwice) planning.onRefused(source, `another one goes to ${transfer.target}`);
    else if (isDirectoryPlace(place) && planning.operation === 'copy' && !planning.recursive)
      planning.onRefused(source, 'a folder: -r copies it with all below');
    else if (to.directory.kind === 'prefix' && isOnVolume)
      planning.onRefused(
        source,
        'the platform has no call that copies or moves objects of volumes to volumes',
      );
    else if (to.directory.kind === 'prefix') await exports.add({ ...transfer, place: place as Place });
    else if (isOnVolume) await imports.add(transfer, existing.get(transfer));
    else
      await planner.add(
        { source, target: transfer.target, place: place as Place },
        { folder: to.directory, name: to.name, existing: existing.get(transfer) },
      );
  }
  return steps.steps();
}

/** The entries of projects that have the names already. */
async function existingTargets(
  transfers: readonly Transfer[],
  { api, signal }: TransferPlanning,
): Promise<ReadonlyMap<Transfer, EntryRecord>> {
  const byFolder = new Map<string, { readonly folder: FolderPlace; readonly transfers: Transfer[] }>();
  for (const transfer of transfers) {
    const { directory } = transfer.to;
    if (directory.kind !== 'folder') continue;
    const known = byFolder.get(directory.id) ?? { folder: directory, transfers: [] };
    byFolder.set(directory.id, known);
    known.transfers.push(transfer);
  }
  const found = new Map<Transfer, EntryRecord>();
  for (const { folder, transfers: there } of byFolder.values()) {
    const names = new Set(there.map(({ to }) => to.name));
    const entries = await entriesNamed(folder, names, { api, signal });
    for (const transfer of there) {
      const entry = entries.get(transfer.to.name);
      if (entry !== undefined) found.set(transfer, entry);
    }
  }
  return found;
}

interface Named {
  readonly source: string;
  readonly target: string;
}

interface Target {
  readonly folder: FolderPlace;
  readonly name: string;
  readonly existing: EntryRecord | undefined;
}

/** From projects to projects. */
class TransferPlanner {
  readonly #planning: TransferPlanning;
  readonly #steps: CollectedSteps;

  constructor(planning: TransferPlanning, steps: CollectedSteps) {
    this.#planning = planning;
    this.#steps = steps;
  }

  async add(entry: Named & { readonly place: Place }, target: Target): Promise<void> {
    const { place } = entry;
    const reason = refusalOf(place, target);
    if (reason !== undefined) this.#planning.onRefused(entry.source, reason);
    else if (place.kind === 'file') await this.#file({ ...entry, place }, target);
    else await this.#folder({ ...entry, place }, target);
  }

  async #file(
    entry: Named & { readonly place: FilePlace },
    { folder, name, existing }: Target,
  ): Promise<boolean> {
    const { file } = entry.place;
    const wanted = this.#wanted(entry, { parent: { id: folder.id }, name }, folder.project);
    if (existing?.kind !== 'file') {
      this.#steps.file(wanted);
      return true;
    }
    const may = await this.#planning.mayReplace({ target: entry.target, before: existing, after: file });
    if (may !== true) {
      this.#planning.onSkipped(entry.source, entry.target, may);
      return false;
    }
    const { api, signal } = this.#planning;
    const atomic = (await api.capabilities({ signal })).has('rename_overwrite');
    this.#steps.replacing(wanted, existing.id, { atomic, isInProject: file.project === existing.project });
    return true;
  }

  async #folder(entry: Named & { readonly place: FolderPlace }, target: Target): Promise<void> {
    const { place, source, target: path } = entry;
    const { folder, name, existing } = target;
    const to: To = { parent: { id: folder.id }, name };
    if (existing?.kind === 'folder') {
      await this.#merge(entry, {
        ...placeIn(folder, existing),
        kind: 'folder',
        id: existing.id,
        parent: folder.id,
      });
      return;
    }
    if (place.parent !== undefined) {
      this.#steps.tree(this.#wanted(entry, to, folder.project));
      return;
    }
    // No job takes the root folder of a project: what is in it goes to a new one.
    const made: FolderRef = { id: undefined };
    this.#steps.folder(0, { source, target: path, to, made });
    for (const each of await this.#entriesOf(place)) {
      const child = below(entry, each);
      const wanted = this.#wanted(child, { parent: made, name: nameOf(each) }, folder.project);
      if (each.kind === 'file') this.#steps.file(wanted);
      else this.#steps.tree(wanted);
    }
  }

  /** Answers whether all of the folder goes. */
  async #merge(entry: Named & { readonly place: FolderPlace }, into: FolderPlace): Promise<boolean> {
    const [ours, theirs] = await Promise.all([this.#entriesOf(entry.place), this.#entriesOf(into)]);
    const byName = new Map(theirs.map((each) => [nameOf(each), each]));
    let isWhole = true;
    for (const place of ours) {
      const there = byName.get(nameOf(place));
      const child = below(entry, place);
      if (there === undefined) {
        const wanted = this.#wanted(child, { parent: { id: into.id }, name: nameOf(place) }, into.project);
        if (place.kind === 'file') this.#steps.file(wanted);
        else this.#steps.tree(wanted);
      } else if (place.kind === 'folder' && there.kind === 'folder') {
        isWhole = (await this.#merge({ ...child, place }, there)) && isWhole;
      } else {
        isWhole = (await this.#meet(child, place, { there, into })) && isWhole;
      }
    }
    if (isWhole && this.#planning.operation === 'move' && entry.place.parent !== undefined)
      this.#steps.leftover({
        source: entry.source,
        target: entry.target,
        id: entry.place.id,
        from: { parent: entry.place.parent, name: nameOf(entry.place) },
      });
    return isWhole;
  }

  /** A file that has a name which is taken in the folder that it is merged into. */
  async #meet(
    named: Named,
    place: Place,
    { there, into }: { readonly there: Place; readonly into: FolderPlace },
  ): Promise<boolean> {
    if (place.kind !== there.kind) {
      this.#planning.onRefused(named.source, `${named.target} is a ${there.kind}, and this is none`);
      return false;
    }
    if (this.#planning.operation === 'move') {
      this.#planning.onRefused(named.source, 'the folder that is there has another of that name');
      return false;
    }
    if (place.kind !== 'file' || there.kind !== 'file') return false;
    return this.#file({ ...named, place }, { folder: into, name: nameOf(place), existing: there.file });
  }

  #wanted(entry: Named & { readonly place: Place }, to: To, project: string) {
    const { source, target, place } = entry;
    const isFile = place.kind === 'file';
    const { id, parent } = isFile ? place.file : place;
    return {
      source,
      target,
      id,
      to,
      from: { parent, name: nameOf(place) },
      bytes: isFile ? place.file.sizeBytes : undefined,
      leavesProject: this.#planning.operation === 'move' && place.project !== project,
    };
  }

  async #entriesOf(folder: FolderPlace): Promise<readonly Place[]> {
    const entries = await listFolder(folder, this.#planning);
    return withoutTrash(
      folder,
      entries.map((entry) => placeIn(folder, entry)),
    );
  }
}

function below<P extends Place>(entry: Named, place: P): Named & { readonly place: P } {
  const name = nameOf(place);
  return { source: `${entry.source}/${name}`, target: `${entry.target}/${name}`, place };
}

function nameOf({ names }: Place): string {
  return names.at(-1) ?? '';
}

function refusalOf(place: Place, { folder, name, existing }: Target): string | undefined {
  const isSame =
    place.kind === 'file'
      ? existing?.kind === 'file' && existing.id === place.file.id
      : existing?.id === place.id;
  if (isSame) return 'it is the same there';
  if (place.kind === 'folder' && isBelow(folder, place)) return 'a folder does not go into itself';
  if (existing !== undefined && existing.kind !== place.kind)
    return existing.kind === 'folder'
      ? `a folder is there, and this is a file`
      : 'a file is there, and this is a folder';
  return place.kind === 'folder' && name.startsWith('__')
    ? 'the platform keeps names of folders that begin with __ for itself'
    : undefined;
}

function isBelow(folder: DirectoryPlace, above: FolderPlace): boolean {
  return (
    folder.kind === 'folder' &&
    folder.project === above.project &&
    above.names.every((name, depth) => folder.names[depth] === name)
  );
}
