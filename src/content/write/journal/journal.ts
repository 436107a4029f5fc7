/**
 * The journal that lets a mount finish its uploads after a kill: an append-only file of checksummed lines.
 *
 * `record` returns at once; the line is written soon after and survives the end of the process. `durable` waits until
 * every record so far survives the end of the machine. All callers that wait at the same time share one fdatasync. Lines
 * go behind the last whole one, so a write that failed half-way leaves no gap. A damaged tail is cut when the journal is
 * opened.
 *
 * The journal is written anew beside and renamed when most of it concerns ended drafts, and after a failed fdatasync.
 * Lines that a failed fdatasync left may never reach the disk, and Linux reports that only once (fsync(2)).
 *
 * The end of a draft is made durable unasked when the journal on the disk says that a later run of the machine owes it
 * (`owed-on-disk.ts`). All drafts that end at the same time share one fdatasync.
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../../lib/sync.ts';
import { explainDiskFailure } from '../spool/disk-failure.ts';
import { applyEntry, type DraftState, encodeEntry, type JournalEntry } from './journal-entry.ts';
import { journalLines } from './journal-lines.ts';
import { OwedOnDisk } from './owed-on-disk.ts';

/** Below this size a journal is not worth rewriting. */
const COMPACT_FROM_BYTES = 1024 * 1024;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export class Journal {
  readonly #directory: string;
  readonly #drafts: Map<string, DraftState>;
  readonly #onDisk: OwedOnDisk;
  #handle: FileHandle;
  #sizeBytes: number;
  /** Lines that are written may be lost, or the file's name. */
  #isDoubtful = false;
  #pending: string[] = [];
  readonly #waiters: Waiter[] = [];
  #working: Promise<void> | undefined;
  #compactAtBytes = COMPACT_FROM_BYTES;

  private constructor(directory: string, handle: FileHandle, found: FoundEntries) {
    this.#directory = directory;
    this.#handle = handle;
    this.#sizeBytes = found.sizeBytes;
    this.#drafts = found.drafts;
    this.#onDisk = new OwedOnDisk(found.drafts);
  }

  static async open(directory: string): Promise<Journal> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = journalIn(directory);
    const found = await readEntries(path);
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    await handle.truncate(found.sizeBytes);
    await handle.datasync();
    await syncDirectory(directory);
    const journal = new Journal(directory, handle, found);
    // An ended process may have seen an fdatasync fail. A full disk is no reason not to begin: `durable` tries again.
    journal.#isDoubtful = found.sizeBytes > 0;
    if (journal.#isDoubtful) await journal.#writeAnew().catch(() => {});
    return journal;
  }

  /** The drafts that are not ended. */
  get drafts(): readonly DraftState[] {
    return [...this.#drafts.values()];
  }

  record(entry: JournalEntry): void {
    applyEntry(this.#drafts, entry);
    const id = entry.type === 'draft' ? entry.draft.id : entry.id;
    this.#onDisk.record(id, this.#drafts.get(id));
    this.#pending.push(encodeEntry(entry));
    this.#wake();
  }

  durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#wake();
    });
  }

  /**
   * Waits until no later run of the machine would publish again what is done by now. Never rejects: what the disk
   * refuses, `durable` tells.
   */
  async doneDurable(): Promise<void> {
    if (this.#onDisk.hasDone) await this.durable().catch(() => {});
  }

  async close(): Promise<void> {
    this.#wake();
    await this.#working;
    await this.#handle.close();
  }

  #wake(): void {
    this.#working ??= this.#work();
  }

  /** Never rejects. Whether there is more to do and that nobody works is decided in one turn, or a wake-up were lost. */
  async #work(): Promise<void> {
    // All records of one turn of the event loop go with one write.
    await undefined;
    let failed = false;
    // A caller may begin to wait while a save fails that nobody waited for. The next save tells that caller.
    while (this.#waiters.length > 0 || (!failed && this.#pending.length > 0)) {
      failed = !(await this.#serve(this.#waiters.splice(0)));
    }
    this.#working = undefined;
  }

  /** False: nobody was told of a failure. The lines stay pending: the next `durable` meets it again, and tells. */
  async #serve(waiters: readonly Waiter[]): Promise<boolean> {
    try {
      await this.#save(waiters.length > 0);
      for (const { resolve } of waiters) resolve();
      return true;
    } catch (error) {
      const told = explainDiskFailure(error, this.#directory);
      for (const { reject } of waiters) reject(told);
      return waiters.length > 0;
    }
  }

  async #save(isWaitedFor: boolean): Promise<void> {
    if (isWaitedFor && this.#isDoubtful) return this.#writeAnew();
    const mustLast = isWaitedFor || (this.#onDisk.hasDone && !this.#isDoubtful);
    const saved = mustLast ? this.#onDisk.save() : undefined;
    await this.#writePending();
    if (this.#sizeBytes > this.#compactAtBytes) return this.#writeAnew();
    if (!mustLast) return;
    await this.#sync();
    saved?.();
  }

  async #sync(): Promise<void> {
    try {
      await this.#handle.datasync();
    } catch (error) {
      this.#isDoubtful = true;
      throw error;
    }
  }

  async #writePending(): Promise<void> {
    const lines = this.#pending;
    this.#pending = [];
    try {
      this.#sizeBytes += await writeAt(this.#handle, this.#sizeBytes, lines);
    } catch (error) {
      this.#pending = [...lines, ...this.#pending];
      throw error;
    }
  }

  /** All that is recorded by now, durable. */
  async #writeAnew(): Promise<void> {
    const saved = this.#onDisk.save();
    // Told by the states.
    const pending = this.#pending;
    this.#pending = [];
    const lines = this.drafts.map((draft) => encodeEntry({ type: 'draft', draft }));
    const fresh = await writeJournal(journalIn(this.#directory), lines).catch((error: unknown) => {
      this.#pending = [...pending, ...this.#pending];
      throw error;
    });
    const replaced = this.#handle;
    this.#handle = fresh.handle;
    this.#sizeBytes = fresh.sizeBytes;
    this.#compactAtBytes = Math.max(COMPACT_FROM_BYTES, 4 * fresh.sizeBytes);
    this.#isDoubtful = true;
    await replaced.close().catch(() => {});
    await syncDirectory(this.#directory);
    this.#isDoubtful = false;
    saved();
  }
}

export function journalIn(directory: string): string {
  return join(directory, 'journal');
}

interface WrittenJournal {
  readonly handle: FileHandle;
  readonly sizeBytes: number;
}

/** Puts a journal of these lines in the place of the one at `path`; its bytes are durable then, its name is not. */
async function writeJournal(path: string, lines: readonly string[]): Promise<WrittenJournal> {
  const handle = await open(`${path}.new`, 'w', 0o600);
  try {
    const sizeBytes = await writeAt(handle, 0, lines);
    await handle.datasync();
    await rename(`${path}.new`, path);
    return { handle, sizeBytes };
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(`${path}.new`, { force: true }).catch(() => {});
    throw error;
  }
}

async function writeAt(handle: FileHandle, offset: number, lines: readonly string[]): Promise<number> {
  const bytes = Buffer.from(lines.join(''));
  for (let written = 0; written < bytes.length; ) {
    const piece = await handle.write(bytes, written, bytes.length - written, offset + written);
    written += piece.bytesWritten;
  }
  return bytes.length;
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
