import { TRASH } from '../places/trash-folder.ts';
import { nameBefore } from './trash-name.ts';

/** A file in the trash of a project. */
export interface TrashedFile {
  readonly id: string;
  /** `2026-11-28` */
  readonly day: string;
  /** From the root folder of the project down, before it was removed. */
  readonly names: readonly string[];
  /** The same where it is now. */
  readonly now: readonly string[];
  readonly sizeBytes: number;
}

/** A path in a project, before the removal or in the trash. */
export interface TrashPath {
  readonly rootFolder: string;
  /** From the root folder down; none for the whole project. */
  readonly names: readonly string[];
}

export function trashedFile(
  { id, sizeBytes }: { readonly id: string; readonly sizeBytes: number },
  day: string,
  below: readonly string[],
): TrashedFile {
  return { id, day, names: below.map(nameBefore), now: [TRASH, day, ...below], sizeBytes };
}

/** Whether a file was removed, or is now, at a path or below it. */
export function isAt({ names, now }: TrashedFile, { names: path }: TrashPath): boolean {
  const there = path[0] === TRASH ? now : names;
  return path.every((name, index) => there[index] === name);
}

/** Of several files of one path, the one that was removed last. */
export function newestOfEach(files: readonly TrashedFile[]): readonly TrashedFile[] {
  const newest = new Map<string, TrashedFile>();
  for (const file of [...files].sort(byRemoval)) newest.set(file.names.join('/'), file);
  return files.filter((file) => newest.get(file.names.join('/')) === file);
}

/** The first one of a day has its plain name, which is the shortest. */
function byRemoval(a: TrashedFile, b: TrashedFile): number {
  const [pathA, pathB] = [a.now.join('/'), b.now.join('/')];
  if (a.day !== b.day) return a.day < b.day ? -1 : 1;
  if (pathA.length !== pathB.length) return pathA.length - pathB.length;
  return pathA < pathB ? -1 : 1;
}
