/** The record of a draft for a later mount: its present state, told to the journal at every change. */
import type { FileRecord } from '../../../api/model.ts';
import type { Refusal, UploadTarget } from '../../ports.ts';
import type { DraftState, UploadState } from '../journal/journal-entry.ts';
import type { DraftContent } from '../spool/draft-content.ts';
import { ChangeCounts, RECOVERED_CHANGES } from './change-counts.ts';
import { DraftAnnotations } from './draft-annotations.ts';
import type { FileChanges } from './file-changes.ts';
import { closedIn, OwedBytes } from './owed-bytes.ts';
import type { WriterContext } from './writer-context.ts';

export interface DraftRecordOptions {
  readonly context: Pick<WriterContext, 'journal' | 'bootId'>;
  readonly content: () => Pick<DraftContent, 'extents' | 'onDisk' | 'doubtful'>;
  readonly upload: () => UploadState | undefined;
}

export class DraftRecord {
  readonly changes: ChangeCounts;
  readonly owed: OwedBytes;
  readonly annotations: DraftAnnotations;
  readonly #options: DraftRecordOptions;
  readonly #initial: DraftState;
  readonly #isRecovered: boolean;
  #isOver = false;
  #target: UploadTarget;
  #label: string;
  #file: FileRecord | undefined;
  /** Of the draft as of that many changes. */
  #refused: { readonly because: Refusal; readonly changes: number } | undefined;

  constructor(state: DraftState, options: DraftRecordOptions) {
    this.#options = options;
    this.#initial = state;
    this.#isRecovered = state.phase === 'publishing';
    const replaces = state.target.replaces ?? (state.base?.kind === 'file' ? state.base.fileId : undefined);
    this.#target = { ...state.target, replaces };
    this.#label = state.label;
    this.annotations = new DraftAnnotations(state);
    this.changes = new ChangeCounts({ isRecovered: this.#isRecovered });
    if (state.refused !== undefined) this.#refused = { because: state.refused, changes: this.changes.now };
    this.owed = new OwedBytes({
      asked: this.#isRecovered,
      closed: this.#isRecovered ? closedIn(state) : undefined,
      changes: () => this.changes.now,
      record: () => this.save(),
      durable: () => options.context.journal.durable(),
    });
  }

  get id(): string {
    return this.#initial.id;
  }

  get label(): string {
    return this.#label;
  }

  get target(): UploadTarget {
    return this.#target;
  }

  /** The file last made of its bytes; undefined: none yet. */
  get file(): FileRecord | undefined {
    return this.#file;
  }

  /** An ended mount was asked for it, and nothing was changed since. */
  get isAsRecovered(): boolean {
    return this.#isRecovered && this.changes.now === RECOVERED_CHANGES;
  }

  /** Something of it is not at the service yet. */
  get isOwed(): boolean {
    const askedFor = this.owed.asked && this.#file === undefined;
    const underWay = this.#target.onward !== undefined && this.#file !== undefined;
    return this.changes.isDirty || askedFor || underWay || this.annotations.owed !== undefined;
  }

  /** As it is, the service does not take it. */
  refuse(because: Refusal): void {
    this.#refused = { because, changes: this.changes.now };
    this.save();
  }

  /** All of it is to be published. */
  ask(): void {
    this.owed.ask();
    this.save();
  }

  retarget(target: UploadTarget, label: string): void {
    this.#target = target;
    this.#label = label;
    this.save();
  }

  /** The draft's bytes, as of that many changes, are a file now. The file of that name is ours from here on. */
  made(file: FileRecord, changes: number): void {
    this.#file = file;
    this.changes.published(changes);
    this.owed.published(changes);
    this.#target = { ...this.#target, overwrite: true, replaces: file.id };
    this.save();
  }

  /** The file has got these changes, and is this record since. */
  annotated(file: FileRecord, changes: FileChanges): void {
    this.#file = file;
    if (this.annotations.given(changes)) this.save();
  }

  /** The draft has ended: what still goes on with it is told to nobody, or a later mount would find it again. */
  end(): void {
    this.#isOver = true;
  }

  save(): void {
    if (this.#isOver) return;
    const { context, content, upload } = this.#options;
    const { id, createdMs, base } = this.#initial;
    const { extents, onDisk, doubtful } = content();
    const isMade = this.#file !== undefined && !this.changes.isDirty;
    const isRefused = !isMade && this.#refused?.changes === this.changes.now;
    const draft: DraftState = {
      id,
      label: this.#label,
      createdMs,
      base,
      target: this.#target,
      ...this.annotations.entry,
      publishedFileId: this.changes.isDirty ? undefined : this.#file?.id,
      extents,
      upload: upload(),
      ...this.owed.entry,
      onDisk,
      refused: isRefused ? this.#refused?.because : undefined,
      // The page cache may drop pages that the disk refused.
      bootId: doubtful ? undefined : context.bootId,
    };
    context.journal.record({ type: 'draft', draft });
  }

  /** A draft that is owed has its name already. The next fsync or close reports a disk that refuses. */
  async owedDurable(): Promise<void> {
    if (this.owed.isAny) await this.#options.context.journal.durable().catch(() => {});
  }
}
