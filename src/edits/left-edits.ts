/** Edits that an ended mount left, looked at and dealt with while no mount has their journal. `directory` is that of the spools. */
import { basename } from 'node:path';
import { removeKept } from '../content/write/kept/about-kept.ts';
import type { KeptFile } from '../content/write/kept/kept-files.ts';
import { type Edit, joined } from './edit.ts';
import { EditJournal, editsOwed } from './edit-journal.ts';
import { keptEdit, missingIn, tableOf } from './kept-edit.ts';

/** One for each file whose edits the next mount sends, as a table. Nothing is changed. */
export async function editsLeft(directory: string, signal: AbortSignal): Promise<readonly KeptFile[]> {
  const byFile = new Map<string, Edit[]>();
  for (const edit of await editsOwed(directory, signal))
    byFile.set(edit.file, [...(byFile.get(edit.file) ?? []), edit]);
  return [...byFile.values()].flatMap((edits) => (edits[0] ? [asKept(edits[0], edits)] : []));
}

function asKept(first: Edit, edits: readonly Edit[]): KeptFile {
  const edit: Edit = { ...first, change: joined(edits.map(({ change }) => change)) };
  const { id, label, atMs: keptMs, file, place, change } = edit;
  const table = Buffer.from(tableOf(edit));
  return {
    id,
    state: 'waiting',
    label,
    sizeBytes: table.length,
    keptMs,
    reason: 'its mount ended before its new metadata was sent',
    acknowledged: true,
    path: undefined,
    bytes: table.toString('base64'),
    missing: missingIn(edit),
    owed: { file, place, change },
  };
}

/** Nothing is owed to the file any more. False: nothing was. */
export function dropEdits(directory: string, file: string): Promise<boolean> {
  return withJournal(directory, async (journal) => {
    const edits = journal.edits.filter((edit) => edit.file === file);
    journal.end(edits);
    await journal.durable();
    return edits.length > 0;
  });
}

/** Has the next mount send what was refused, and kept under this id. False: nothing is. */
export async function leaveToNextMount(directory: string, id: string): Promise<boolean> {
  const kept = await keptEdit(directory, id);
  if (kept === undefined) return false;
  await withJournal(directory, async (journal) => {
    journal.add(kept.edit);
    await journal.durable();
  });
  await removeKept(directory, basename(kept.path));
  return true;
}

async function withJournal<T>(directory: string, work: (journal: EditJournal) => Promise<T>): Promise<T> {
  const journal = await EditJournal.open(directory);
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}
