/**
 * A file to which lines are added, and which survives the end of the process and of the machine.
 *
 * `add` returns at once; the line is written soon after and survives the end of the process. `durable` waits until every
 * line so far survives the end of the machine. All callers that wait at the same time share one fdatasync. Lines go behind
 * the last whole one, so a write that failed half-way leaves no gap.
 *
 * The file is written anew beside and renamed when most of it is out of date, and after a failed fdatasync. Lines that a
 * failed fdatasync left may never reach the disk, and Linux reports that only once (fsync(2)).
 */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from './sync.ts';

/** Below this size a file is not worth writing anew. */
const COMPACT_FROM_BYTES = 1024 * 1024;

export interface JournalFileOptions {
  readonly path: string;
  /** Up to the end of the last whole line: what comes after is cut. */
  readonly sizeBytes: number;
  /** The lines that tell all that there is to tell by now. */
  readonly lines: () => readonly string[];
  /** Whether what is added must get to the disk though nobody waits for it. Default: never. */
  readonly mustLast?: () => boolean;
  /** Called before the lines added by now are made durable; its answer is called when they are. */
  readonly onSave?: () => () => void;
  /** What those who wait are told of a failure. Default: the failure. */
  readonly explain?: (error: unknown) => unknown;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export class JournalFile {
  readonly #options: JournalFileOptions;
  #handle: FileHandle;
  #sizeBytes: number;
  /** Lines that are written may be lost, or the file's name. */
  #isDoubtful = false;
  #pending: string[] = [];
  readonly #waiters: Waiter[] = [];
  #working: Promise<void> | undefined;
  #compactAtBytes = COMPACT_FROM_BYTES;

  private constructor(options: JournalFileOptions, handle: FileHandle) {
    this.#options = options;
    this.#handle = handle;
    this.#sizeBytes = options.sizeBytes;
  }

  static async open(options: JournalFileOptions): Promise<JournalFile> {
    const { path, sizeBytes } = options;
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    await handle.truncate(sizeBytes);
    await handle.datasync();
    await syncDirectory(dirname(path));
    const file = new JournalFile(options, handle);
    // An ended process may have seen an fdatasync fail. A full disk is no reason not to begin: `durable` tries again.
    file.#isDoubtful = sizeBytes > 0;
    if (file.#isDoubtful) await file.#writeAnew().catch(() => {});
    return file;
  }

  /** With its end. */
  add(line: string): void {
    this.#pending.push(line);
    this.#wake();
  }

  durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#wake();
    });
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
    // All lines of one turn of the event loop go with one write.
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
      const told = this.#options.explain?.(error) ?? error;
      for (const { reject } of waiters) reject(told);
      return waiters.length > 0;
    }
  }

  async #save(isWaitedFor: boolean): Promise<void> {
    if (isWaitedFor && this.#isDoubtful) return this.#writeAnew();
    const mustLast = isWaitedFor || (this.#options.mustLast?.() === true && !this.#isDoubtful);
    const saved = mustLast ? this.#options.onSave?.() : undefined;
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

  /** All that is added by now, durable. */
  async #writeAnew(): Promise<void> {
    const { path, lines, onSave } = this.#options;
    const saved = onSave?.();
    // Told by the lines.
    const pending = this.#pending;
    this.#pending = [];
    const fresh = await writeBeside(path, lines()).catch((error: unknown) => {
      this.#pending = [...pending, ...this.#pending];
      throw error;
    });
    const replaced = this.#handle;
    this.#handle = fresh.handle;
    this.#sizeBytes = fresh.sizeBytes;
    this.#compactAtBytes = Math.max(COMPACT_FROM_BYTES, 4 * fresh.sizeBytes);
    this.#isDoubtful = true;
    await replaced.close().catch(() => {});
    await syncDirectory(dirname(path));
    this.#isDoubtful = false;
    saved?.();
  }
}

interface WrittenFile {
  readonly handle: FileHandle;
  readonly sizeBytes: number;
}

/** Puts a file of these lines in the place of the one at `path`; its bytes are durable then, its name is not. */
async function writeBeside(path: string, lines: readonly string[]): Promise<WrittenFile> {
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
