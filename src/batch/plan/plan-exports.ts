import type { FileRecord } from '../../api/model.ts';
import { isAliasOf } from '../../jobs/is-alias-of.ts';
import { listContents } from '../../jobs/list-contents.ts';
import { whyNotExportable } from '../../jobs/plan-export.ts';
import { refusalOfLocation } from '../../jobs/refusals.ts';
import { reservedNameOf } from '../../jobs/reserved-folders.ts';
import type { PrefixPlace } from '../../places/any-place.ts';
import { PRIORITY } from '../../places/asking.ts';
import { filesAt } from '../../places/list-files.ts';
import type { Place } from '../../places/places.ts';
import type { CollectedSteps } from './collected-steps.ts';
import type { Transfer, TransferPlanning } from './transfer.ts';

/** From projects to volumes: an export for each file. */
export class ExportPlanner {
  readonly #planning: TransferPlanning;
  readonly #steps: CollectedSteps;
  readonly #refusals = new Map<string, Promise<string | undefined>>();

  constructor(planning: TransferPlanning, steps: CollectedSteps) {
    this.#planning = planning;
    this.#steps = steps;
  }

  async add({ source, target, place, to }: Transfer & { readonly place: Place }): Promise<void> {
    const { volume, prefix } = to.directory as PrefixPlace;
    const refusal = this.#refusals.get(volume) ?? this.#refusalOf(volume);
    this.#refusals.set(volume, refusal);
    const reason = await refusal;
    if (reason !== undefined) {
      this.#planning.onRefused(source, reason);
      return;
    }
    const files = await filesAt(place, { ...this.#planning, recursive: true });
    if (files.length === 0)
      this.#planning.onSkipped(source, target, 'no file is in it, and a volume has no folders');
    const top = `${prefix}${to.name}`;
    const { asksFirst } = this.#planning;
    const there = asksFirst ? await this.#present(volume, top, place.kind) : undefined;
    for (const { file, names } of files) {
      const path = names
        .slice(place.names.length)
        .map((name, index, all) =>
          index === all.length - 1 ? name : (reservedNameOf({ kind: 'folder', name }) ?? name),
        );
      const at = (text: string): string => [text, ...path].join('/');
      await this.#file(file, {
        source: at(source),
        target: at(target),
        volume,
        location: at(top),
        isThere: there?.has(at(top)) ?? true,
      });
    }
  }

  async #file(
    file: FileRecord,
    item: {
      readonly source: string;
      readonly target: string;
      readonly volume: string;
      readonly location: string;
      readonly isThere: boolean;
    },
  ): Promise<void> {
    const { onRefused, onSkipped, mayReplace } = this.#planning;
    const { isThere, ...to } = item;
    if (isAliasOf(file, to)) return onSkipped(to.source, to.target, 'it is there already');
    const location = refusalOfLocation(to.location);
    const reason = location?.kind === 'refused' ? location.message : whyNotExportable(file);
    if (reason !== undefined) return onRefused(to.source, reason);
    const replacing = { target: to.target, before: { modifiedMs: undefined }, after: file };
    const may = isThere ? await mayReplace(replacing) : true;
    if (may !== true) return onSkipped(to.source, to.target, may);
    this.#steps.export({ ...to, id: file.id, bytes: file.sizeBytes, overwrite: isThere });
  }

  /** The locations that have an object: a single look for a file, and for a folder a listing. */
  async #present(volume: string, top: string, kind: Place['kind']): Promise<ReadonlySet<string>> {
    const { api, signal } = this.#planning;
    const options = { signal, priority: PRIORITY } as const;
    if (kind === 'file')
      return new Set((await api.volumes.object(volume, top, options)) === undefined ? [] : [top]);
    const listed = await listContents(api, { kind: 'prefix', volume, prefix: `${top}/` }, options);
    return new Set(listed.locations);
  }

  async #refusalOf(volume: string): Promise<string | undefined> {
    const { api, signal } = this.#planning;
    const { accessMode, active } = await api.volumes.get(volume, { signal, priority: PRIORITY });
    if (accessMode === 'RO') return `the volume ${volume} is read-only`;
    return active ? undefined : `the volume ${volume} is not active`;
  }
}
