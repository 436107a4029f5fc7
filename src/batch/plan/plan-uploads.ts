import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import type { EntryRecord, FileRecord } from '../../api/model.ts';
import { keptFolderName } from '../../jobs/reserved-folders.ts';
import { linkPairOf } from '../../jobs/symbolic-link.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import { entriesNamed } from '../../places/find-any.ts';
import { listFolder } from '../../places/list-files.ts';
import type { FolderPlace } from '../../places/places.ts';
import type { FolderRef, FolderToMake, Step, To, Upload } from '../step.ts';
import { type Candidate, decide } from './decide.ts';
import type { TransferApi } from './transfer.ts';

/** An entry of this machine that is to be copied to a project. */
export interface LocalTransfer {
  /** As a person knows it. */
  readonly source: string;
  readonly path: string;
  readonly target: string;
  readonly to: { readonly directory: FolderPlace; readonly name: string };
}

/** A file of a project that a file of this machine would replace. */
export interface LocalReplacement {
  readonly target: string;
  readonly path: string;
  readonly stats: Stats;
  readonly file: FileRecord;
}

export interface UploadPlanning {
  readonly api: TransferApi;
  readonly signal: AbortSignal;
  readonly recursive: boolean;
  /** A person is asked about each replacement. */
  readonly asks: boolean;
  readonly mayReplace: (replacement: LocalReplacement) => Promise<true | string>;
  /** The pairs that a file gets for its attributes. */
  readonly pairsOf: (stats: Stats) => Readonly<Record<string, string>>;
  readonly requestsOf: (sizeBytes: number, annotated: boolean) => number;
  /** Whether a directory on another device is the top of a mount of a platform. */
  readonly isMount: (path: string) => Promise<boolean>;
  readonly onRefused: (source: string, reason: string) => void;
  readonly onSkipped: (source: string, target: string, reason: string) => void;
}

/** Plans copies of this machine's files and folders to projects: what is there is looked for, nothing is changed. */
export async function planUploads(
  transfers: readonly LocalTransfer[],
  planning: UploadPlanning,
): Promise<readonly Step[]> {
  const planner = new UploadPlanner(planning);
  const known = new Map<string, ReadonlyMap<string, EntryRecord>>();
  const targets = new Set<string>();
  for (const { source, path, target, to } of transfers) {
    const { directory, name } = to;
    const place = `${directory.id}/${name}`;
    if (targets.has(place)) {
      planning.onRefused(source, `another one goes to ${target}`);
      continue;
    }
    targets.add(place);
    const there = transfers.filter((each) => each.to.directory.id === directory.id);
    const names = new Set(there.flatMap((each) => [each.to.name, keptFolderName(each.to.name)]));
    const entries = known.get(directory.id) ?? (await entriesNamed(directory, names, planning));
    known.set(directory.id, entries);
    const into = { ref: { id: directory.id }, folder: directory, entries, depth: 0 };
    await planner.named({ source, path, target, name }, into);
  }
  return planner.steps();
}

interface Entry {
  readonly source: string;
  readonly path: string;
  readonly target: string;
  /** In the folder that it goes to. */
  readonly name: string;
}

interface Into {
  readonly ref: FolderRef;
  /** Undefined: it is still to be made. */
  readonly folder: FolderPlace | undefined;
  readonly entries: ReadonlyMap<string, EntryRecord>;
  readonly depth: number;
}

class UploadPlanner {
  readonly #planning: UploadPlanning;
  readonly #folders: FolderToMake[][] = [];
  readonly #files: Candidate<Upload>[] = [];

  constructor(planning: UploadPlanning) {
    this.#planning = planning;
  }

  async steps(): Promise<readonly Step[]> {
    const { asks, onSkipped } = this.#planning;
    const items = await decide(this.#files, {
      asks,
      onSkipped: ({ source, target = '' }, reason) => onSkipped(source, target, reason),
    });
    const steps: readonly Step[] = [
      ...this.#folders.map((level) => ({ kind: 'folders', items: level }) as const),
      { kind: 'upload', items },
    ];
    return steps.filter((step) => step.items.length > 0);
  }

  /** An entry that was named: a link is followed. */
  async named(entry: Entry, into: Into): Promise<void> {
    await this.#at(entry, into, () => stat(entry.path));
  }

  async #at(entry: Entry, into: Into, look: () => Promise<Stats>): Promise<void> {
    const { signal, onRefused, recursive } = this.#planning;
    signal.throwIfAborted();
    try {
      const stats = await look();
      if (stats.isFile()) this.#file(entry, stats, into);
      else if (!stats.isDirectory()) onRefused(entry.source, kindOf(stats));
      else if (recursive) await this.#folder(entry, stats, into);
      else onRefused(entry.source, 'a folder: -r copies it with all below');
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      onRefused(entry.source, plainReason(error));
    }
  }

  #file({ source, path, target, name }: Entry, stats: Stats, { ref, entries }: Into): void {
    const { onRefused, pairsOf, requestsOf, mayReplace } = this.#planning;
    const there = entries.get(name);
    if (there?.kind === 'folder') {
      onRefused(source, 'a folder is there, and this is a file');
      return;
    }
    if (there !== undefined && linkPairOf(there) !== undefined) {
      onRefused(source, `${target} is a symbolic link, and is not replaced: remove it first`);
      return;
    }
    const pairs = pairsOf(stats);
    const isAnnotated = Object.keys(pairs).length > 0 || (there !== undefined && isDescribed(there));
    const to: To = { parent: ref, name };
    const requests = requestsOf(stats.size, isAnnotated);
    this.#files.push({
      wanted: { source, path, target, to, bytes: stats.size, replaced: there, pairs, requests },
      may: there && (() => mayReplace({ target, path, stats, file: there })),
    });
  }

  async #folder(entry: Entry, stats: Stats, into: Into): Promise<void> {
    const { source, path, target } = entry;
    const name = keptFolderName(entry.name);
    const there = into.entries.get(name) ?? into.entries.get(entry.name);
    if (there?.kind === 'file') {
      this.#planning.onRefused(source, 'a file is there, and this is a folder');
      return;
    }
    const found = await readdir(path, { withFileTypes: true, encoding: 'buffer' });
    const below = await this.#below({ source, target, name }, there, into);
    for (const each of found.sort((left, right) => Buffer.compare(left.name, right.name)))
      await this.#child(entry, each, { stats, into: below });
  }

  /** The folder that the entries of one go to: it is there, or made by a step. */
  async #below(
    { source, target, name }: Omit<Entry, 'path'>,
    there: EntryRecord | undefined,
    { ref, folder, depth }: Into,
  ): Promise<Into> {
    if (there !== undefined && folder !== undefined) {
      const { project, names } = folder;
      const place = {
        kind: 'folder',
        project,
        names: [...names, name],
        id: there.id,
        parent: folder.id,
      } as const;
      const entries = await listFolder(place, this.#planning);
      const byName = new Map(entries.map((each) => [each.name, each]));
      return { ref: { id: there.id }, folder: place, entries: byName, depth };
    }
    const made: FolderRef = { id: undefined };
    const level = this.#folders[depth] ?? [];
    this.#folders[depth] = level;
    level.push({ source, target, to: { parent: ref, name }, made });
    return { ref: made, folder: undefined, entries: new Map(), depth: depth + 1 };
  }

  async #child(
    { source, path, target }: Entry,
    { name: bytes }: Dirent<Buffer>,
    { stats: above, into }: { readonly stats: Stats; readonly into: Into },
  ): Promise<void> {
    const name = bytes.toString('utf8');
    if (!Buffer.from(name).equals(bytes)) {
      this.#planning.onRefused(`${source}/${name}`, 'its name is no UTF-8, which the platform takes only');
      return;
    }
    const child = { source: `${source}/${name}`, path: `${path}/${name}`, target: `${target}/${name}`, name };
    await this.#at(child, into, async () => {
      const stats = await lstat(child.path);
      if (stats.isDirectory() && stats.dev !== above.dev && (await this.#planning.isMount(child.path)))
        throw Object.assign(new Error('a mount of a platform: name it by itself'), { syscall: 'lstat' });
      return stats;
    });
  }
}

function isDescribed(entry: EntryRecord): boolean {
  return entry.kind === 'file' && (entry.tags.length > 0 || Object.keys(entry.metadata).length > 0);
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink())
    return 'a symbolic link, which is not followed: cp -a in a mount keeps it, or name what it leads to';
  const kind = stats.isSocket() ? 'a socket' : stats.isFIFO() ? 'a named pipe' : 'a device';
  return `${kind}: only files and folders are copied`;
}
