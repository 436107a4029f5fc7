/**
 * The journal that lets a mount finish its uploads after a kill: an append-only file of checksummed lines
 * (`lib/journal-file.ts`). A damaged tail is cut when it is opened.
 *
 * The end of a draft is made durable unasked when the journal on the disk says that a later run of the machine owes it
 * (`owed-on-disk.ts`). All drafts that end at the same time share one fdatasync.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { JournalFile } from '../../../lib/journal-file.ts';
import { explainDiskFailure } from '../spool/disk-failure.ts';
import { applyEntry, type DraftState, encodeEntry, type JournalEntry } from './journal-entry.ts';
import { journalLines } from './journal-lines.ts';
import { OwedOnDisk } from './owed-on-disk.ts';

export class Journal {
  readonly #drafts: Map<string, DraftState>;
  readonly #onDisk: OwedOnDisk;
  readonly #file: JournalFile;

  private constructor(drafts: Map<string, DraftState>, onDisk: OwedOnDisk, file: JournalFile) {
    this.#drafts = drafts;
    this.#onDisk = onDisk;
    this.#file = file;
  }

  static async open(directory: string): Promise<Journal> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = journalIn(directory);
    const { drafts, sizeBytes } = await readEntries(path);
    const onDisk = new OwedOnDisk(drafts);
    const file = await JournalFile.open({
      path,
      sizeBytes,
      lines: () => [...drafts.values()].map((draft) => encodeEntry({ type: 'draft', draft })),
      mustLast: () => onDisk.hasDone,
      onSave: () => onDisk.save(),
      explain: (error) => explainDiskFailure(error, directory),
    });
    return new Journal(drafts, onDisk, file);
  }

  /** The drafts that are not ended. */
  get drafts(): readonly DraftState[] {
    return [...this.#drafts.values()];
  }

  /** The entry survives the end of the process soon after, and with the next `durable` that of the machine. */
  record(entry: JournalEntry): void {
    applyEntry(this.#drafts, entry);
    const id = entry.type === 'draft' ? entry.draft.id : entry.id;
    this.#onDisk.record(id, this.#drafts.get(id));
    this.#file.add(encodeEntry(entry));
  }

  durable(): Promise<void> {
    return this.#file.durable();
  }

  /**
   * Waits until no later run of the machine would publish again what is done by now. Never rejects: what the disk
   * refuses, `durable` tells.
   */
  async doneDurable(): Promise<void> {
    if (this.#onDisk.hasDone) await this.durable().catch(() => {});
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

export function journalIn(directory: string): string {
  return join(directory, 'journal');
}

interface FoundEntries {
  readonly drafts: Map<string, DraftState>;
  /** Up to the end of the last whole line. */
  readonly sizeBytes: number;
}

async function readEntries(path: string): Promise<FoundEntries> {
  const drafts = new Map<string, DraftState>();
  let sizeBytes = 0;
  for await (const { entry, end } of journalLines(path)) {
    if (entry === undefined) break;
    applyEntry(drafts, entry);
    sizeBytes = end;
  }
  return { drafts, sizeBytes };
}
