/**
 * Uploads in parts that a command has begun, and which parts the store has: another run goes on with them. Each has a
 * directory of its own, named by what is uploaded and where to, with the journal that a mount keeps of its drafts:
 *
 *   directory/<key>/journal    the upload and its parts
 *   directory/<key>/lock       held by the process that is at it
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../../lib/lock-file.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import { entriesOf, removeUnchanged } from '../../lib/remove-unchanged.ts';
import type { UploadTarget } from '../ports.ts';
import { Journal } from '../write/journal/journal.ts';
import type { DraftState, UploadState } from '../write/journal/journal-entry.ts';

/** Nobody goes on with an upload so long after it got no further: the service may have given it up. */
const KEPT_MS = 14 * 24 * 60 * 60 * 1000;

export class UnfinishedUploads {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** `what`: all that makes the upload what it is. Undefined: another process is at it. */
  async open(what: readonly string[]): Promise<UnfinishedUpload | undefined> {
    const name = createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 32);
    const directory = join(this.#directory, name);
    await makeDirectories(directory, 0o700);
    const lock = await lockFile(join(directory, 'lock'), 0);
    if (lock === undefined) return undefined;
    try {
      return new UnfinishedUpload(name, directory, await Journal.open(directory), lock);
    } catch (error) {
      await lock.close();
      throw error;
    }
  }

  /** Removes what nobody went on with. */
  async sweep(nowMs: number): Promise<void> {
    for (const { name } of await entriesOf(this.#directory))
      await removeUnchanged(join(this.#directory, name), nowMs - KEPT_MS);
  }
}

export class UnfinishedUpload {
  readonly id: string;
  readonly #directory: string;
  readonly #journal: Journal;
  readonly #lock: FileHandle;

  constructor(id: string, directory: string, journal: Journal, lock: FileHandle) {
    this.id = id;
    this.#directory = directory;
    this.#journal = journal;
    this.#lock = lock;
  }

  /** As a run before this one left it. */
  get begun(): { readonly upload: UploadState; readonly sinceMs: number } | undefined {
    const state = this.#journal.drafts.find(({ id }) => id === this.id);
    return state?.upload && { upload: state.upload, sinceMs: state.createdMs };
  }

  readonly record: Journal['record'] = (entry) => this.#journal.record(entry);

  begin(upload: UploadState, target: UploadTarget, { label, nowMs }: { label: string; nowMs: number }): void {
    const draft: DraftState = {
      id: this.id,
      label,
      createdMs: nowMs,
      target,
      base: undefined,
      annotations: undefined,
      phase: 'open',
      publishedFileId: undefined,
      extents: [],
      upload,
    };
    this.record({ type: 'draft', draft });
  }

  /** Leaves it to the next run. */
  async close(): Promise<void> {
    await this.#journal.close();
    await this.#lock.close();
  }

  /** It is over: nothing is left of it. */
  async end(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
    await this.close();
  }
}
