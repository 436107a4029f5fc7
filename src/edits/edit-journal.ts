/**
 * The edits of a mount on its disk, until they are on the platform or a person has dealt with them: lines of
 * `lib/journal-file.ts`. A damaged tail is cut when it is opened.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedLine, checkedLines } from '../lib/checked-lines.ts';
import { JournalFile } from '../lib/journal-file.ts';
import type { Edit } from './edit.ts';

type Line =
  | { readonly type: 'edit'; readonly edit: Edit }
  /** These edits are over. */
  | { readonly type: 'end'; readonly ids: readonly string[] }
  /** We remove or replace these files: should one not be there any more, nothing is owed to it. */
  | { readonly type: 'leaving'; readonly files: readonly string[] }
  | { readonly type: 'staying'; readonly files: readonly string[] };

interface Told {
  /** By id, in the order in which they were made. */
  readonly edits: Map<string, Edit>;
  /** Ids of files. */
  readonly leaving: Set<string>;
}

export class EditJournal {
  readonly #told: Told;
  readonly #file: JournalFile;

  private constructor(told: Told, file: JournalFile) {
    this.#told = told;
    this.#file = file;
  }

  /** `directory` is made if it is not there. */
  static async open(directory: string): Promise<EditJournal> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = editsIn(directory);
    const told: Told = { edits: new Map(), leaving: new Set() };
    let sizeBytes = 0;
    for await (const { value, end } of checkedLines(path)) {
      if (value === undefined) break;
      apply(told, value as Line);
      sizeBytes = end;
    }
    return new EditJournal(told, await JournalFile.open({ path, sizeBytes, lines: () => linesOf(told) }));
  }

  /** Those that are not over, in the order in which they were made. */
  get edits(): readonly Edit[] {
    return [...this.#told.edits.values()];
  }

  isLeaving(file: string): boolean {
    return this.#told.leaving.has(file);
  }

  add(edit: Edit): void {
    this.#record({ type: 'edit', edit });
  }

  end(edits: readonly Edit[]): void {
    if (edits.length > 0) this.#record({ type: 'end', ids: edits.map(({ id }) => id) });
  }

  leaving(files: readonly string[]): void {
    this.#record({ type: 'leaving', files });
  }

  staying(files: readonly string[]): void {
    this.#record({ type: 'staying', files });
  }

  /** What was recorded by now survives the end of the machine when this returns. */
  durable(): Promise<void> {
    return this.#file.durable();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #record(line: Line): void {
    apply(this.#told, line);
    this.#file.add(checkedLine(line));
  }
}

/** By a look from outside: nothing is changed, and a mount may be writing there. */
export async function editsOwed(directory: string, signal: AbortSignal): Promise<readonly Edit[]> {
  const told: Told = { edits: new Map(), leaving: new Set() };
  for await (const { value } of checkedLines(editsIn(directory), signal)) {
    if (value === undefined) break;
    apply(told, value as Line);
  }
  return [...told.edits.values()];
}

function editsIn(directory: string): string {
  return join(directory, 'edits');
}

function apply({ edits, leaving }: Told, line: Line): void {
  switch (line.type) {
    case 'edit':
      edits.set(line.edit.id, line.edit);
      return;
    case 'end':
      for (const id of line.ids) edits.delete(id);
      return;
    case 'leaving':
      for (const file of line.files) leaving.add(file);
      return;
    case 'staying':
      for (const file of line.files) leaving.delete(file);
      return;
    default:
      // Of a later version.
      line satisfies never;
  }
}

function linesOf({ edits, leaving }: Told): readonly string[] {
  const lines: Line[] = [...edits.values()].map((edit) => ({ type: 'edit', edit }));
  const owed = new Set([...edits.values()].map(({ file }) => file));
  const files = [...leaving].filter((file) => owed.has(file));
  if (files.length > 0) lines.push({ type: 'leaving', files });
  return lines.map(checkedLine);
}
