/** Turns a kept file into one that an ended mount owed: the journal has it again, as a draft to publish. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFile } from '../../../lib/sync.ts';
import { ContentError } from '../../ports.ts';
import type { Journal } from '../journal/journal.ts';
import type { DraftState } from '../journal/journal-entry.ts';
import { forgetAbout, KEPT_DIRECTORY, readAbout } from './about-kept.ts';
import { filesAside } from './kept-files.ts';

export interface PutBackContext {
  /** That of the spools. */
  readonly directory: string;
  readonly journal: Journal;
  readonly bootId: string | undefined;
}

/** Throws when there is none of that id, or it is not whole, or nothing tells where it was to go. */
export async function putBack(
  { directory, journal, bootId }: PutBackContext,
  id: string,
): Promise<DraftState> {
  const file = (await filesAside(directory)).find((kept) => kept.id === id);
  if (file?.path === undefined) throw new ContentError('failed', `nothing is kept under ${id}`);
  const name = file.path.slice(join(directory, KEPT_DIRECTORY).length + 1);
  const about = await readAbout(directory, name);
  if (about?.target === undefined)
    throw new ContentError('failed', `nobody knows where ${name} was to go: save it, and copy it there`);
  if (about.missing !== undefined)
    throw new ContentError(
      'failed',
      `${about.label} is not whole: ${about.missing}; save it, and look at it`,
    );
  await syncFile(file.path);
  const { label, target, annotations } = about;
  const { sizeBytes } = file;
  const state: DraftState = {
    id,
    label,
    createdMs: file.keptMs,
    target,
    base: undefined,
    annotations,
    phase: 'publishing',
    publishedFileId: undefined,
    extents: sizeBytes > 0 ? [{ start: 0, end: sizeBytes, origin: { kind: 'local' } }] : [],
    upload: undefined,
    onDisk: true,
    bootId,
  };
  // First: should this process end now, the next mount finds the file where it is kept, and leaves it there.
  journal.record({ type: 'draft', draft: state });
  await journal.durable();
  await rename(file.path, join(directory, `${id}.spool`));
  await forgetAbout(directory, name);
  return state;
}
