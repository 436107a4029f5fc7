/**
 * Changes of the metadata and tags of files that are on the platform already, which follow their calls (write-back). Each
 * is durable on this machine before its call returns. They are sent when nothing came for a while, those of one file as
 * one, and 100 files a call.
 *
 * Until then what the platform tells of a file is shown with them (`shown`), and what needs the platform to have them
 * waits for that (`settle`). `withOwedEdits` sees to both.
 */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { FilesApi } from '../api/api.ts';
import type { EntryRecord, Failure, FileRecord } from '../api/model.ts';
import type { FileChange } from '../content/ports.ts';
import { removeKept } from '../content/write/kept/about-kept.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { sharedAbortController } from '../lib/shared-signals.ts';
import { untilAborted } from '../lib/until-aborted.ts';
import { type Edit, joined, shownWith } from './edit.ts';
import { EditJournal } from './edit-journal.ts';
import { keepEdit, keptEdit } from './kept-edit.ts';
import { type ChangeOfFile, type OnOutcomes, type Outcome, sendEdits } from './send-edits.ts';

/** Between tries. */
const RETRY = { baseMs: 1000, capMs: 60_000 };
/** What goes on without a pause is sent after so many times `foldMs`. */
const MOST_FOLDS = 2;
const NOT_FOUND = 404;

export interface OwedEditsOptions {
  readonly api: { readonly files: Pick<FilesApi, 'bulkGet' | 'bulkEdit' | 'bulkUpdate'> };
  readonly clock: Clock;
  /** That of the spools. */
  readonly directory: string;
  /** Whether new changes follow their calls. Those that an ended mount left are sent either way. */
  readonly follow: boolean;
  /** They are sent when none came for so long. */
  readonly foldMs: number;
}

/** The file that is changed, as it is now. */
export interface EditedFile {
  readonly file: string;
  readonly label: string;
  readonly place: string;
}

/** The platform's own. */
export type Refusal = Pick<Failure, 'status' | 'code' | 'message'>;

/** Told of what became of edits. */
export interface EditsListener {
  /** The platform has these files so now. Called before their edits are over. */
  sent(files: readonly FileRecord[]): void;
  /** Refused for good, and kept at `path` for a person: the file is not shown so any more. */
  refused(edit: Edit, failure: Refusal, path: string): void;
  /** A try failed, for this one and perhaps for others; there will be more. */
  failed(edit: Edit, error: unknown): void;
}

export class OwedEdits {
  /** Whether changes may be added. */
  readonly follow: boolean;
  readonly #options: OwedEditsOptions;
  readonly #journal: EditJournal;
  /** By file. */
  readonly #edits = new Map<string, Edit[]>();
  /** Files that are being removed or replaced, and how often. */
  readonly #leaving = new Map<string, number>();
  #listener: EditsListener = { sent: () => {}, refused: () => {}, failed: () => {} };
  /** When the last one came, and the first of those that wait, on the clock that only goes forward. */
  #lastMs = 0;
  #firstMs = 0;
  #round: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  /** Ends calls. */
  readonly #end = sharedAbortController();
  /** Somebody waits for the round that is under way. */
  #urgent = sharedAbortController();

  private constructor(options: OwedEditsOptions, journal: EditJournal) {
    this.follow = options.follow;
    this.#options = options;
    this.#journal = journal;
    for (const edit of journal.edits) this.#enter(edit);
  }

  /** With those that an ended mount left, which are sent from `begin` on. */
  static async open(options: OwedEditsOptions): Promise<OwedEdits> {
    return new OwedEdits(options, await EditJournal.open(options.directory));
  }

  /** `listener` is told from now on. */
  begin(listener: EditsListener): void {
    this.#listener = listener;
    this.#wake();
  }

  /** Those that are not on the platform. */
  get waiting(): readonly Edit[] {
    return [...this.#edits.values()].flat();
  }

  owes(file: string): boolean {
    return this.#edits.has(file);
  }

  /** Shown at once, and durable on this machine when this returns. Throws the disk's refusal: nothing is changed then. */
  async add({ file, label, place }: EditedFile, change: FileChange): Promise<void> {
    const edit = { id: randomUUID(), file, label, place, atMs: this.#options.clock.now(), change };
    this.#enter(edit);
    await this.#keep([edit]);
    this.#wake();
  }

  /** As the file is with what is owed to it. */
  shown<T extends EntryRecord>(entry: T): T {
    const edits = this.#edits.get(entry.id);
    return edits ? shownWith(entry, edits) : entry;
  }

  /**
   * Waits until the edits that there are by now and that are meant are on the platform, or refused by it. Throws the failure of
   * a try, and the signal's reason. They go on then.
   */
  async settle(isMeant: (edit: Edit) => boolean, signal?: AbortSignal): Promise<void> {
    const meant = this.waiting.filter(isMeant);
    while (meant.some((edit) => this.#has(edit))) {
      const round = this.#sendNow();
      this.#urgent.abort();
      await untilAborted(round, signal);
    }
  }

  /**
   * Runs the removal or replacement of files. Nothing is owed to those that are gone then, which `gone` tells by the result;
   * after a kill in the middle the next mount finds out.
   */
  async whileLeaving<T>(
    files: readonly string[],
    work: () => Promise<T>,
    gone: (result: T) => readonly string[],
  ): Promise<T> {
    const owed = files.filter((file) => this.owes(file));
    this.#leave(owed, 1);
    try {
      const result = await work();
      this.#over(gone(result).flatMap((file) => this.#edits.get(file) ?? []));
      return result;
    } finally {
      this.#leave(owed, -1);
    }
  }

  /** Sends again what was refused, and kept under this id. Answers the path in the mount; undefined: no edit has the id. */
  async takeBack(id: string): Promise<string | undefined> {
    const { directory } = this.#options;
    const kept = await keptEdit(directory, id);
    if (kept === undefined) return undefined;
    const { edit, path } = kept;
    this.#enter(edit);
    await this.#keep([edit]);
    await removeKept(directory, basename(path));
    this.#wake();
    return edit.label;
  }

  /** Leaves to the next mount what is not on the platform by now. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#running;
    await this.#journal.close();
  }

  #enter(edit: Edit): void {
    const { clock } = this.#options;
    this.#lastMs = clock.monotonic();
    if (this.#edits.size === 0) this.#firstMs = this.#lastMs;
    const edits = this.#edits.get(edit.file);
    if (edits) edits.push(edit);
    else this.#edits.set(edit.file, [edit]);
  }

  async #keep(edits: readonly Edit[]): Promise<void> {
    for (const edit of edits) this.#journal.add(edit);
    try {
      await this.#journal.durable();
    } catch (error) {
      this.#over(edits);
      throw error;
    }
  }

  #has({ id, file }: Edit): boolean {
    return this.#edits.get(file)?.some((edit) => edit.id === id) === true;
  }

  #over(edits: readonly Edit[]): void {
    this.#journal.end(edits);
    const ids = new Set(edits.map(({ id }) => id));
    for (const file of new Set(edits.map((edit) => edit.file))) {
      const left = (this.#edits.get(file) ?? []).filter(({ id }) => !ids.has(id));
      if (left.length > 0) this.#edits.set(file, left);
      else this.#edits.delete(file);
    }
  }

  #leave(files: readonly string[], by: 1 | -1): void {
    for (const file of files) {
      const count = (this.#leaving.get(file) ?? 0) + by;
      if (count > 0) this.#leaving.set(file, count);
      else this.#leaving.delete(file);
    }
    if (files.length === 0) return;
    if (by > 0) this.#journal.leaving(files);
    else this.#journal.staying(files.filter((file) => !this.#leaving.has(file)));
  }

  #wake(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Until nothing is owed. Never rejects. */
  async #run(): Promise<void> {
    for (let failures = 0; this.#edits.size > 0 && !this.#end.signal.aborted; ) {
      await this.#untilDue(failures);
      if (this.#edits.size === 0 || this.#end.signal.aborted) return;
      try {
        await this.#sendNow();
        failures = 0;
        this.#firstMs = this.#options.clock.monotonic();
      } catch {
        failures += 1;
      }
    }
  }

  async #untilDue(failures: number): Promise<void> {
    const { clock, foldMs } = this.#options;
    const { signal } = this.#end;
    if (failures > 0) {
      await clock.sleep(backoffMs(failures - 1, RETRY), signal).catch(() => undefined);
      return;
    }
    const leftMs = (): number =>
      Math.min(this.#lastMs + foldMs, this.#firstMs + MOST_FOLDS * foldMs) - clock.monotonic();
    while (this.#edits.size > 0 && leftMs() > 0 && !signal.aborted)
      await clock.sleep(leftMs(), signal).catch(() => undefined);
  }

  /** One round at a time. Rejects when something failed that may succeed later. */
  #sendNow(): Promise<void> {
    this.#round ??= this.#send().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #send(): Promise<void> {
    this.#urgent = sharedAbortController();
    const sent = new Map([...this.#edits].map(([file, edits]) => [file, [...edits]]));
    const changes = [...sent].map(([file, edits]): ChangeOfFile => {
      return { file, change: joined(edits.map(({ change }) => change)) };
    });
    const failures: unknown[] = [];
    const onOutcomes: OnOutcomes = async (outcomes) => {
      this.#listener.sent(outcomes.flatMap(([, each]) => (each.kind === 'done' && each.file) || []));
      for (const [{ file }, outcome] of outcomes) {
        // Some may be gone with their file.
        const edits = (sent.get(file) ?? []).filter((edit) => this.#has(edit));
        const failure = await this.#settled(edits, outcome).catch((error: unknown) => ({ error }));
        if (failure === undefined) continue;
        if (failures.length === 0 && edits[0]) this.#listener.failed(edits[0], failure.error);
        failures.push(failure.error);
      }
    };
    const options = { priority: 'data', urgent: this.#urgent.signal, signal: this.#end.signal } as const;
    await sendEdits(this.#options.api.files, changes, { ...options, onOutcomes });
    // Or a later run of the machine would set again what others change from now on.
    await this.#journal.durable().catch(() => undefined);
    if (failures.length > 0) throw failures[0];
  }

  /** Answers the failure that may pass. */
  async #settled(edits: readonly Edit[], outcome: Outcome): Promise<{ readonly error: unknown } | undefined> {
    const last = edits.at(-1);
    if (last === undefined) return undefined;
    if (outcome.kind === 'failed') return outcome;
    if (outcome.kind === 'refused' && !this.#isGone(last, outcome.failure))
      return this.#refused(edits, last, outcome.failure);
    this.#over(edits);
    return undefined;
  }

  /** By our own doing: with it went what was owed to it. */
  #isGone({ file }: Edit, { status }: Refusal): boolean {
    return status === NOT_FOUND && (this.#leaving.has(file) || this.#journal.isLeaving(file));
  }

  async #refused(edits: readonly Edit[], last: Edit, failure: Refusal): Promise<undefined> {
    const { directory, clock } = this.#options;
    const edit = { ...last, change: joined(edits.map(({ change }) => change)) };
    const reason = `its new metadata was refused: ${failure.message}`;
    const path = await keepEdit(directory, edit, { reason, atMs: clock.now() });
    this.#over(edits);
    this.#listener.refused(edit, failure, path);
  }
}
