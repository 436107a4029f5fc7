import type { FileRecord } from '../../api/model.ts';
import type { ContentVersion, ContentWriter, Draft, OpenVersion, UploadTarget } from '../../content/ports.ts';
import type { TransferSource } from '../../jobs/ports.ts';
import { type Deferred, deferred } from '../../lib/deferred.ts';
import { Mutex } from '../../lib/mutex.ts';
import type { FsError } from '../errors/fs-error.ts';
import type { OpenMode } from '../open-flags.ts';
import type { ProjectFileNode, ProjectFolderNode, VolumeObjectNode } from './node.ts';
import { pathOf } from './node.ts';
import { versionOf } from './version-of.ts';

/** Nodes whose bytes are on the platform. */
export type ContentNode = ProjectFileNode | VolumeObjectNode;

/** How far the inode's local content is from what is published. */
export type Unpublished =
  /** Nothing to publish. */
  | 'none'
  /** Made or emptied at open, and not one byte written since. */
  | 'begun'
  /** Bytes written, copied or cut off. */
  | 'written';

/** One open(2) of a file with content on the platform. */
export interface OpenFile {
  readonly content: FileContent;
  readonly mode: OpenMode;
  /** The thread that opened. */
  readonly openedBy: number;
  /** The process that opened, asked for at open for a writer; undefined when it could not be told. */
  readonly opener: Promise<number | undefined>;
  /** O_TRUNC is still to empty it. */
  truncates: boolean;
  /** Made at the first read that no draft serves. */
  view: OpenVersion | undefined;
}

/** The source that a draft was copied from, so that the platform can make the copy itself. */
export interface CopyOrigin {
  readonly version: ContentVersion;
  readonly source: TransferSource;
  readonly path: string;
}

/** A published file whose name a draft was renamed over. */
export interface ReplacedFile {
  readonly record: FileRecord;
  /** Of its inode, which is out of the tree. */
  readonly content: FileContent;
}

/** The place that a rename brings a draft to, which is there when it is published. */
export interface Destination {
  readonly parent: ProjectFolderNode;
  readonly name: string;
  /** What has the name now. */
  readonly target: ProjectFileNode | undefined;
}

/**
 * One inode's content while it is open or not yet published: its handles, its draft, and how far the draft is from the
 * platform. Dirtiness belongs here and not to a handle: every handle reads the bytes that another wrote, and any may
 * publish.
 *
 * Changes of the inode on the platform (publication, rename, unlink) hold `lock`. Reads and writes never take it; they
 * need a draft, which lives as long as a handle does. A caller that needs several locks takes them by node number.
 */
export class FileContent {
  readonly node: ContentNode;
  readonly lock = new Mutex();
  readonly handles = new Set<OpenFile>();
  unpublished: Unpublished = 'none';
  /** The part that a running publication has taken on, and gives back to `unpublished` should it fail. */
  publishing: Unpublished = 'none';
  /** O_EXCL: at publication the name must not have come into being elsewhere. */
  exclusive = false;
  /** The name is gone: nothing is published any more, and the last handle takes the bytes along. */
  unlinked = false;
  /** Removes what was kept aside for the handles of an unlinked inode. */
  whenClosed: (() => Promise<void>) | undefined;
  /**
   * The file that this draft was renamed over and that still has the name on the platform: the publication replaces it.
   */
  replaces: ReplacedFile | undefined;
  /** Set while a rename publishes it. */
  goesTo: Destination | undefined;
  copiedFrom: CopyOrigin | undefined;
  /** Of the object whose name this draft is renamed over. */
  replacesEtag: string | undefined;
  /** The draft's name in the staging folder, which stays when its own name changes: no upload is renamed. */
  stagingName: string | undefined;
  /** The draft as it was uploaded into the staging folder, until that is removed from there. */
  staged: FileRecord | undefined;
  /** The holder of the lock publishes it, and stops for a caller that removes it. */
  givesWay = false;
  /** When it was last closed with something to publish, on the clock that only goes forward. */
  closedMs = Number.NEGATIVE_INFINITY;
  /** How many changes of the bytes are being made. */
  changes = 0;
  /** How many are about to hold its lock: another entry of this inode would have another lock. */
  wanted = 0;
  /** Write-back: the publication that is tried until it succeeds, is overtaken by a change, or can never succeed. */
  following: Promise<void> | undefined;
  /**
   * Publishing failed and the writer of the bytes was told so, or it can never succeed: they go with the last handle.
   */
  hopeless = false;
  /**
   * Why the platform does not take what a close acknowledged. It stays as it is, and is owed still: nobody tries again before
   * somebody asks for that, or the file is changed.
   */
  refused: FsError | undefined;
  /** Why its bytes are not to be published but kept aside on this machine, with the last handle. */
  keepBecause: FsError | undefined;
  /** Its bytes were refused, and a person wants none of them. */
  isDropped = false;
  #release: Deferred<void> | undefined;
  #drafting: Promise<Draft> | undefined;
  /** The openers that wait now for the end of the lock holder's work. */
  #heldUp: 'nobody' | 'writers' | 'everyone' = 'nobody';

  constructor(node: ContentNode) {
    this.node = node;
  }

  get path(): string {
    return pathOf(this.node);
  }

  /** Where it is, or where a rename brings it. */
  get futurePath(): string {
    return this.goesTo ? `${pathOf(this.goesTo.parent)}/${this.goesTo.name}` : this.path;
  }

  /** The changes that the platform does not have yet. A publication under way may fail, so its changes count. */
  get outstanding(): Unpublished {
    return this.unpublished === 'none' ? this.publishing : this.unpublished;
  }

  /** As it is, a close acknowledged it, and the platform does not have it yet: no failure that may pass ends that. */
  get owed(): boolean {
    return this.node.draft?.committed === true && this.outstanding !== 'none';
  }

  /** As `owed`, or it was until somebody appended to it: a kill must leave what was closed. */
  get promised(): boolean {
    return this.node.draft?.promised === true && this.outstanding !== 'none';
  }

  /** Bytes changed just now: no time set before counts any more, and of these bytes nobody was told anything. */
  touch(nowMs: number): void {
    const { node } = this;
    this.hopeless = false;
    this.refused = undefined;
    node.writtenMs = nowMs;
    node.mtimeNs = undefined;
  }

  /** There is a draft, or is about to be. */
  get hasDraft(): boolean {
    return this.node.draft !== undefined || this.#drafting !== undefined;
  }

  /** A handle is gone. */
  released(open: OpenFile): void {
    this.handles.delete(open);
    this.#release?.resolve();
    this.#release = undefined;
  }

  /** Resolves when the next handle is gone. */
  get nextRelease(): Promise<void> {
    this.#release ??= deferred();
    return this.#release.promise;
  }

  /** Handles that may change the bytes. */
  get writers(): number {
    let count = 0;
    for (const { mode, truncates } of this.handles) if (mode.write || truncates) count++;
    return count;
  }

  /** Runs `task`, and has those that open the file wait for its end. The caller holds the lock. */
  async holdingUp<T>(whom: 'writers' | 'everyone', task: () => Promise<T>): Promise<T> {
    const before = this.#heldUp;
    this.#heldUp = whom;
    try {
      return await task();
    } finally {
      this.#heldUp = before;
    }
  }

  /** The lock is held for as long as a job may take. */
  get isHeldUp(): boolean {
    return this.#heldUp !== 'nobody';
  }

  /** Whether an open in this mode has to wait for the lock. */
  holdsUp({ write, truncate }: Pick<OpenMode, 'write' | 'truncate'>): boolean {
    return this.#heldUp === 'everyone' || (this.#heldUp === 'writers' && (write || truncate));
  }

  /** The draft there is, or a new one that starts as the published content (fetched as it is needed). */
  draft(make: DraftMaker): Promise<Draft> {
    const { draft } = this.node;
    return draft ? Promise.resolve(draft) : this.#make(make, versionOf(this.node));
  }

  /** The draft, emptied; nothing of the published content is fetched. */
  async emptyDraft(make: DraftMaker, signal: AbortSignal): Promise<Draft> {
    if (!this.node.draft && !this.#drafting) return this.#make(make, undefined);
    const draft = await this.draft(make);
    await draft.truncate(0, signal);
    return draft;
  }

  /** Each handle begins anew: the content is another now, which its version need not tell, for not all stores list ETags. */
  renewViews(): void {
    for (const open of this.handles) {
      open.view?.close();
      open.view = undefined;
    }
  }

  /** Takes the draft from the node; a caller that asks for one after this gets a new one. */
  takeDraft(): Draft | undefined {
    const { draft } = this.node;
    this.node.draft = undefined;
    this.copiedFrom = undefined;
    return draft;
  }

  #make(make: DraftMaker, base: ContentVersion | undefined): Promise<Draft> {
    this.#drafting ??= make
      .draft({ target: make.targetOf(this), base, label: pathOf(this.node) })
      .then(async (draft) => {
        this.node.draft = draft;
        // The name went before there was a draft.
        if (this.unlinked) await draft.disown();
        return draft;
      })
      .finally(() => {
        this.#drafting = undefined;
      });
    return this.#drafting;
  }
}

/** Makes drafts and knows where each goes. */
export interface DraftMaker {
  draft: ContentWriter['draft'];
  targetOf(content: FileContent): UploadTarget;
}
