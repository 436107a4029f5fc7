import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import type { FileRecord } from '../../api/model.ts';
import { reservedNameOf } from '../../jobs/reserved-folders.ts';
import { linkPairOf } from '../../jobs/symbolic-link.ts';
import { errorCode } from '../../lib/error-code.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import type { Asking } from '../../places/asking.ts';
import { listFolder } from '../../places/list-files.ts';
import { type FilePlace, type FolderPlace, type Place, placeIn } from '../../places/places.ts';
import { withoutTrash } from '../../places/trash-folder.ts';
import type { Download, LocalFolder, Step } from '../step.ts';
import { type Candidate, decide } from './decide.ts';
import type { LocalReplacement } from './plan-uploads.ts';

/** An entry of a project that is to be copied to this machine. */
export interface Fetching {
  /** As a person knows it. */
  readonly source: string;
  readonly place: Place;
  /** Where it comes to. */
  readonly target: string;
}

export interface DownloadPlanning extends Asking {
  readonly recursive: boolean;
  /** A person is asked about each replacement. */
  readonly asks: boolean;
  readonly mayReplace: (replacement: LocalReplacement) => Promise<true | string>;
  /** Mode and time of the copy; `replaced`: of the file whose place it takes. */
  readonly attributesOf: (
    file: FileRecord,
    replaced: Stats | undefined,
  ) => { readonly mode: number; readonly mtimeMs: number | undefined };
  readonly onRefused: (source: string, reason: string) => void;
  readonly onSkipped: (source: string, target: string, reason: string) => void;
}

/** Plans copies of a project's files and folders to this machine: nothing is made yet. */
export async function planDownloads(
  fetchings: readonly Fetching[],
  planning: DownloadPlanning,
): Promise<readonly Step[]> {
  const planner = new DownloadPlanner(planning);
  const targets = new Set<string>();
  for (const fetching of fetchings) {
    if (targets.has(fetching.target))
      planning.onRefused(fetching.source, `another one goes to ${fetching.target}`);
    else await planner.add(fetching, true);
    targets.add(fetching.target);
  }
  return planner.steps();
}

class DownloadPlanner {
  readonly #planning: DownloadPlanning;
  readonly #folders: LocalFolder[] = [];
  readonly #files: Candidate<Download>[] = [];

  constructor(planning: DownloadPlanning) {
    this.#planning = planning;
  }

  async steps(): Promise<readonly Step[]> {
    const { asks, onSkipped } = this.#planning;
    const items = await decide(this.#files, {
      asks,
      onSkipped: ({ source, path }, reason) => onSkipped(source, path, reason),
    });
    const steps: readonly Step[] = [
      { kind: 'local-folders', items: this.#folders },
      { kind: 'download', items },
    ];
    return steps.filter((step) => step.items.length > 0);
  }

  /** `looks`: something may be there already. */
  async add({ source, place, target }: Fetching, looks: boolean): Promise<void> {
    this.#planning.signal.throwIfAborted();
    try {
      const there = looks ? await statOf(target) : undefined;
      if (place.kind === 'file') await this.#file({ source, place, target }, there);
      else if (this.#planning.recursive) await this.#folder({ source, place, target }, there);
      else this.#planning.onRefused(source, 'a folder: -r copies it with all below');
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      this.#planning.onRefused(source, `${target}: ${plainReason(error)}`);
    }
  }

  async #file(
    { source, place, target }: Fetching & { readonly place: FilePlace },
    there: Stats | undefined,
  ): Promise<void> {
    const { onRefused, attributesOf, mayReplace } = this.#planning;
    const { file } = place;
    if (linkPairOf(file) !== undefined) {
      onRefused(source, 'a symbolic link: cp -a in a mount makes one of it');
    } else if (there?.isDirectory()) {
      onRefused(source, `${target} is a directory, and this is a file`);
    } else if (there !== undefined && !there.isFile()) {
      onRefused(source, `${target} is no regular file, and is not replaced`);
    } else {
      // A link to a file is written through.
      const path = there === undefined ? target : await realpath(target);
      const attributes = attributesOf(file, there);
      this.#files.push({
        wanted: { source, target, path, file, bytes: file.sizeBytes, ...attributes },
        may: there && (() => mayReplace({ target, path, stats: there, file })),
      });
    }
  }

  async #folder(
    { source, place, target }: Fetching & { readonly place: FolderPlace },
    there: Stats | undefined,
  ): Promise<void> {
    if (there !== undefined && !there.isDirectory()) {
      this.#planning.onRefused(source, `${target} is no directory, and this is a folder`);
      return;
    }
    const entries = await listFolder(place, this.#planning);
    if (there === undefined) this.#folders.push({ source, target, path: target });
    const below = withoutTrash(
      place,
      entries.map((entry) => placeIn(place, entry)),
    );
    for (const each of below) {
      const named = each.names.at(-1) ?? '';
      const name = reservedNameOf({ kind: each.kind, name: named }) ?? named;
      const reason = refusalOfName(name);
      if (reason === undefined)
        await this.add(
          { source: `${source}/${named}`, place: each, target: `${target}/${name}` },
          there !== undefined,
        );
      else this.#planning.onRefused(`${source}/${named}`, reason);
    }
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Why this machine has no file of that name, if so. */
export function refusalOfName(name: string): string | undefined {
  const isTaken = name === '' || name === '.' || name === '..' || /[/\0]/.test(name);
  if (!isTaken && Buffer.byteLength(name) <= 255) return undefined;
  return 'this machine takes no such name: rename it, or read it in a mount, which shows it under another';
}
