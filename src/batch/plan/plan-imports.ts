import type { EntryRecord } from '../../api/model.ts';
import { isAliasOf } from '../../jobs/is-alias-of.ts';
import { listContents } from '../../jobs/list-contents.ts';
import { isNormalLocation } from '../../jobs/refusals.ts';
import { keptFolderName } from '../../jobs/reserved-folders.ts';
import { PRIORITY } from '../../places/asking.ts';
import { listFolder } from '../../places/list-files.ts';
import { type FolderPlace, placeIn } from '../../places/places.ts';
import type { FolderRef } from '../step.ts';
import type { CollectedSteps } from './collected-steps.ts';
import type { Transfer, TransferPlanning } from './transfer.ts';

interface Named {
  readonly source: string;
  readonly target: string;
}

/** A folder that gets what is below a prefix; `there`: its place, when it is there already. */
interface Level extends Named {
  readonly ref: FolderRef;
  readonly there: FolderPlace | undefined;
  readonly depth: number;
}

/** From volumes to projects: an import for each object, which stays where it is. */
export class ImportPlanner {
  readonly #planning: TransferPlanning;
  readonly #steps: CollectedSteps;

  constructor(planning: TransferPlanning, steps: CollectedSteps) {
    this.#planning = planning;
    this.#steps = steps;
  }

  async add({ source, target, place, to }: Transfer, existing: EntryRecord | undefined): Promise<void> {
    const { directory, name } = to;
    if (directory.kind !== 'folder') return;
    const parent: FolderRef = { id: directory.id };
    if (place.kind === 'object') {
      const { volume, location, record } = place;
      const bytes = record?.sizeBytes;
      await this.#object({ source, target }, { volume, location, bytes }, { parent, name, existing });
    }
    if (place.kind !== 'prefix') return;
    if (existing?.kind === 'file')
      return this.#planning.onRefused(source, 'a file is there, and this is a folder');
    const { api, signal } = this.#planning;
    const { volume, prefix } = place;
    const options = { signal, priority: PRIORITY } as const;
    const { locations } = await listContents(api, { kind: 'prefix', volume, prefix }, options);
    const top = this.#level({ source, target }, { above: parent, name, existing, directory, depth: 0 });
    const paths = locations.map((location) => location.slice(prefix.length).split('/'));
    await this.#below(paths, { volume, prefix }, top);
  }

  async #below(
    paths: readonly (readonly string[])[],
    from: { readonly volume: string; readonly prefix: string },
    level: Level,
  ): Promise<void> {
    const entries = level.there === undefined ? [] : await listFolder(level.there, this.#planning);
    const byName = new Map(entries.map((entry) => [entry.name, entry]));
    const deeper = new Map<string, (readonly string[])[]>();
    for (const [name = '', ...rest] of paths) {
      if (rest.length > 0) {
        deeper.set(name, [...(deeper.get(name) ?? []), rest]);
        continue;
      }
      const object = { volume: from.volume, location: `${from.prefix}${name}`, bytes: undefined };
      await this.#object(below(level, name), object, { parent: level.ref, name, existing: byName.get(name) });
    }
    for (const [name, rest] of deeper) {
      const kept = keptFolderName(name);
      const existing = byName.get(kept);
      const named = below(level, name);
      if (existing?.kind === 'file') {
        this.#planning.onRefused(named.source, 'a file is there, and this is a folder');
        continue;
      }
      const { ref: above, there: directory, depth } = level;
      const next = this.#level(named, { above, name: kept, existing, directory, depth: depth + 1 });
      await this.#below(rest, { ...from, prefix: `${from.prefix}${name}/` }, next);
    }
  }

  #level(
    named: Named,
    at: {
      readonly above: FolderRef;
      readonly name: string;
      readonly existing: EntryRecord | undefined;
      readonly directory: FolderPlace | undefined;
      readonly depth: number;
    },
  ): Level {
    const { above, name, existing, directory, depth } = at;
    if (existing !== undefined && directory !== undefined) {
      const there = placeIn(directory, existing);
      if (there.kind === 'folder') return { ...named, ref: { id: there.id }, there, depth };
    }
    const ref: FolderRef = { id: undefined };
    this.#steps.folder(depth, { ...named, to: { parent: above, name }, made: ref });
    return { ...named, ref, there: undefined, depth };
  }

  async #object(
    { source, target }: Named,
    object: { readonly volume: string; readonly location: string; readonly bytes: number | undefined },
    {
      existing,
      ...to
    }: { readonly parent: FolderRef; readonly name: string; readonly existing: EntryRecord | undefined },
  ): Promise<void> {
    const { onRefused, onSkipped, mayReplace } = this.#planning;
    if (!isNormalLocation(object.location))
      return onRefused(
        source,
        'its key has an empty, "." or ".." segment: the platform would take it for another',
      );
    if (existing?.kind === 'folder') return onRefused(source, 'a folder is there, and this is a file');
    if (existing !== undefined && isAliasOf(existing, object))
      return onSkipped(source, target, 'it is there already');
    const replacing = {
      target,
      before: existing ?? { modifiedMs: undefined },
      after: { modifiedMs: undefined },
    };
    const may = existing === undefined ? true : await mayReplace(replacing);
    if (may !== true) return onSkipped(source, target, may);
    this.#steps.import({ source, target, ...object, to, overwrite: existing !== undefined });
  }
}

function below({ source, target }: Named, name: string): Named {
  return { source: `${source}/${name}`, target: `${target}/${name}` };
}
