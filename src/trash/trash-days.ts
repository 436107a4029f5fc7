import type { Api } from '../api/api.ts';
import type { CallOptions } from '../api/call-options.ts';
import type { EntryRecord } from '../api/model.ts';
import { PAGE_LIMIT_MAX } from '../contract/limits.ts';
import { TRASH } from '../places/trash-folder.ts';
import { isDay, isOlderThan } from './trash-name.ts';

type Files = Pick<Api['files'], 'find' | 'list'>;

/** A folder with what was removed from a project on a day. */
export interface TrashDay {
  readonly id: string;
  /** `2026-11-28` */
  readonly day: string;
}

/** The days that the trash of a project has, by the root folder of the project. */
export async function daysInTrash(
  files: Files,
  rootFolder: string,
  options: CallOptions,
): Promise<readonly TrashDay[]> {
  const trash = await files.find({ parent: rootFolder, name: TRASH }, options);
  if (trash?.kind !== 'folder') return [];
  const days: TrashDay[] = [];
  for await (const { kind, id, name } of entriesOf(files, trash.id, options))
    if (kind === 'folder' && isDay(name)) days.push({ id, day: name });
  return days;
}

/** Those on which nothing was removed in the last so many milliseconds. */
export function daysOlderThan(days: readonly TrashDay[], ms: number, nowMs: number): readonly TrashDay[] {
  return days.filter(({ day }) => isOlderThan(day, ms, nowMs));
}

export async function* entriesOf(
  files: Pick<Files, 'list'>,
  folder: string,
  options: CallOptions,
): AsyncGenerator<EntryRecord> {
  for (let offset = 0, total = 1; offset < total; offset += PAGE_LIMIT_MAX) {
    const page = await files.list(folder, { offset, limit: PAGE_LIMIT_MAX }, options);
    yield* page.items;
    total = page.total;
  }
}
