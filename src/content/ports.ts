/**
 * The bytes of files, as the tree uses them: versions are read, drafts are written and published.
 *
 * A *version* is content that never changes. A *draft* is the one local, mutable content of an inode while it is
 * open for writing; it belongs to the inode and not to a handle, however many handles there are.
 */
import type { FileRecord } from '../api/model.ts';
import type { ByteChunks } from '../lib/byte-chunks.ts';

/**
 * Which bytes. A platform file's are fixed by its id; those of an alias or a volume object by volume, location and
 * the ETag the store gives (undefined until the first answer told it).
 */
export type ContentVersion =
  | { readonly kind: 'file'; readonly fileId: string; readonly sizeBytes: number }
  | {
      readonly kind: 'alias';
      readonly fileId: string;
      readonly volume: string;
      readonly location: string;
      /** As the store told when the file was opened. */
      readonly etag?: string | undefined;
      readonly sizeBytes: number;
    }
  | {
      readonly kind: 'object';
      readonly volume: string;
      readonly location: string;
      readonly etag: string | undefined;
      readonly sizeBytes: number;
    };

/** The object that a store has under a name now. */
export interface ObjectState {
  /** Undefined: the store tells none. */
  readonly etag: string | undefined;
  readonly sizeBytes: number;
  /** MD5 in hex, where the ETag is one. */
  readonly md5?: string | undefined;
}

/**
 * A caller that may have to wait. Its signal is made only then: making one costs more than lending bytes that are there.
 */
export interface Waiting {
  readonly signal: AbortSignal;
  /** Takes bytes off sockets (`ByteChunks.rest`), in the same turn of the event loop in which they are lent. */
  readonly splices?: boolean;
}

/** One open handle's view of a version; holds the access pattern that prefetch goes by. */
export interface OpenVersion {
  readonly version: ContentVersion;
  /**
   * It will be read, probably: asks for what the first read waits for. Where the service tells of the file in the same
   * answer, that is returned; it may reject, and a read may succeed all the same.
   */
  prepare(): Promise<FileRecord> | undefined;
  /** Asks the store for its current object, which may be another version than this. Rejects as `read` does. */
  inspect(signal: AbortSignal): Promise<ObjectState>;
  /** Answers at once when all bytes are cached. Reads past the end are cut. `ContentError` kind `changed`: ESTALE. */
  read(offset: number, sizeBytes: number, waiting: Waiting): ByteChunks | Promise<ByteChunks>;
  close(): void;
}

export interface ContentReader {
  open(version: ContentVersion): OpenVersion;
}

/** Where a draft goes when it is published. */
export interface UploadTarget {
  /** Folder id, or a bucket (`BucketsApi.folderOf`). */
  readonly parent: string;
  readonly name: string;
  /** Replace a file of that name. False: it must not exist (O_EXCL). */
  readonly overwrite: boolean;
  /** The file that has the name, as far as is known: a later mount replaces no other. */
  readonly replaces?: string | undefined;
  /** Of an object of a bucket: no other is replaced than `replaces` names, whatever came there since. */
  readonly onlyIfSame?: boolean | undefined;
  /** The file is on its way to a volume: until `discard` says that it arrived, a later mount sees to that. */
  readonly onward?: ObjectPlace | undefined;
}

/** Where an object goes. */
export interface ObjectPlace {
  /** `owner/name` */
  readonly volume: string;
  readonly location: string;
  /** ETag of the object that is there, as far as is known: a later mount replaces no other. */
  readonly replaces: string | undefined;
}

/**
 * Brings an uploaded file to its volume; done when it is there already, and the file gone. `ContentError` kind `changed`
 * when it cannot ever be.
 */
export type DeliverObject = (fileId: string, place: ObjectPlace) => Promise<void>;

/** Metadata and tags to give the file with its content: merged over what it has. */
export interface Annotations {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[] | undefined;
}

/** What becomes of the metadata and tags of a file of the platform: pairs are merged, and keys taken away. */
export interface FileChange {
  readonly metadata: Readonly<Record<string, string>>;
  /** None of `metadata`. */
  readonly dropped: readonly string[];
  /** In place of all that it has; undefined: they stay. */
  readonly tags: readonly string[] | undefined;
}

/** A change, and the file that it is for. */
export interface OwedChange {
  /** Id. */
  readonly file: string;
  /** `project:owner/name/path`, as tables of metadata have it. */
  readonly place: string;
  readonly change: FileChange;
}

export interface Draft {
  /** Told by recovery again. */
  readonly id: string;
  /** The file that its bytes were made last; undefined: they never were. */
  readonly publishedFileId: string | undefined;
  readonly sizeBytes: number;
  /** Where it goes, as was said last. */
  readonly target: UploadTarget;
  /** Bytes written, truncated or copied since the last publication. */
  readonly dirty: boolean;
  /** As it is, it is owed to the platform: `commit` said so, and nothing was changed since. */
  readonly committed: boolean;
  /** It is `committed`, or was and has only grown since: its first bytes, as they were then, are not published yet. */
  readonly promised: boolean;
  /** Bytes that are not published yet were acknowledged by a `sync`: they must not be given up without a trace. */
  readonly synced: boolean;
  /** As every change of bytes that are being published, it waits for that. */
  write(offset: number, data: Uint8Array, signal: AbortSignal): Promise<number>;
  /** Waits for bytes that are only in the unfinished upload while that is being completed; `ContentError` otherwise. */
  read(offset: number, sizeBytes: number, signal: AbortSignal): ByteChunks | Promise<ByteChunks>;
  truncate(sizeBytes: number, signal: AbortSignal): Promise<void>;
  /** Records that a range is that of a version; fetched only if the draft does not end as a whole copy of it. */
  copyFrom(
    source: ContentVersion,
    sourceOffset: number,
    to: { readonly offset: number; readonly length: number },
    signal: AbortSignal,
  ): Promise<void>;
  /** The version this draft is a whole, unchanged copy of: a server-side copy will do. */
  wholeCopyOf(): ContentVersion | undefined;
  /** Spool and journal are durable on return; throws an upload error already known. */
  sync(signal: AbortSignal): Promise<void>;
  /**
   * As `sync`; from here on the draft is also owed to the platform. After a kill the next mount publishes it, as long as
   * no byte that it has now was changed. The version it builds on is fetched first, for it may go away. `ContentError`
   * kind `no-space` when there is no room for that.
   */
  commit(signal: AbortSignal): Promise<void>;
  /** The disk of the spool refused some of its bytes: `sync` and `commit` fail, and what is read of it may be other bytes. */
  readonly doubtful: boolean;
  /** All of it is in the spool, or what it builds on, which the spool has room for. */
  readonly fits: boolean;
  /** An upload of it has begun, under the name of its target: another name would begin it anew. */
  readonly begun: boolean;
  /** This mount is not going to publish what was committed last: nobody is to wait for the room that it takes. */
  stay(): void;
  /**
   * The name of the file is gone, and who has it open is the last to need it: nobody waits for its publication, and no later
   * mount finds it. So it is after a power failure too when this returns. Never rejects.
   */
  disown(): Promise<void>;
  /** It has its name again: what was owed is owed again, after a power failure too when this returns. Never rejects. */
  reclaim(): Promise<void>;
  /**
   * Runs a rename, at whose end `retarget` is called. `ContentError` in its place when that could not be done, because the
   * spool let go of some bytes; meanwhile it lets go of none.
   */
  whileMoved<T>(move: () => Promise<T>): Promise<T>;
  /**
   * The file was renamed while open: completes under the new name. Waits for a publication that is under way; an upload
   * begun under the old name starts again. `ContentError` when the spool has let go of bytes that a new start needs. The
   * parameter `label` is as in `ContentWriter.draft`. The new name holds when this returns, after a power failure too.
   */
  retarget(target: UploadTarget, label: string): Promise<void>;
  /**
   * Sets the annotations that the file gets with its content, in place of earlier ones. Durable when this returns, if the
   * draft is committed.
   */
  annotate(annotations: Annotations | undefined): Promise<void>;
  /** Gives the published file what was said since, and answers it. */
  annotatePublished(): Promise<FileRecord>;
  /** Runs work that is to end with its publication: a writer that waits for room in the spool may count on it. */
  whileFinishing<T>(finish: () => Promise<T>): Promise<T>;
  /**
   * Uploads what is not there yet, completes, applies the annotations, and answers the new file. The draft stays
   * readable and may be written again. An aborted signal rejects this call but the publication goes on. Recorded when
   * this returns: a `sync` after it makes the request durable, so that the next mount fulfils it after a kill.
   */
  publish(signal: AbortSignal): Promise<FileRecord>;
  /**
   * Makes a publication that is sending parts reject with `ContentError` kind `gave-way`, until the returned function is
   * called. Parts that were sent stay, and parts on their way go on: the next publication goes on from there.
   */
  giveWay(): () => void;
  /**
   * The file that the last publication made all the same, when it had no answer: the draft's from here on. Asked for by
   * `publish` too, and not beside one.
   */
  unanswered(): Promise<FileRecord | undefined>;
  /**
   * Someone published it without bytes (a server-side copy of `source`), with the annotations `given`: the draft is clean
   * unless it was changed since. Its upload, if any, is aborted unless the spool let go of bytes that were sent.
   */
  publishedAs(file: FileRecord, source: ContentVersion, given?: Annotations): Promise<void>;
  /** Gives the bytes up: aborts the upload, removes spool and journal entry. No later mount finds them when this returns. */
  discard(): Promise<void>;
  /** As `discard`, but what was written is kept in a file for a person; undefined when all of it is at the service. */
  keep(because: KeepingReason): Promise<KeptBytes | undefined>;
  /**
   * The service refuses it for good: it stays owed, and nobody tries it before somebody asks for that. The journal tells of it
   * from here on, until it is published or changed.
   */
  refused(because: Refusal): Promise<void>;
  /** Where its bytes are on this machine; undefined: it has none. */
  readonly spoolPath: string | undefined;
  /** The last handle is gone: frees the spool. Bytes that are not published yet are left for the next mount's `recover`. */
  close(): Promise<void>;
}

/** Why the service does not have what a close acknowledged. */
export interface Refusal {
  /** For a person. */
  readonly reason: string;
  readonly atMs: number;
}

/** Why a draft is not to be published. */
export interface KeepingReason extends Refusal {
  /** A close answered that it would be. */
  readonly acknowledged: boolean;
}

/** The bytes of a file that was written and not published. */
export interface KeptBytes {
  /** On this machine. */
  readonly path: string;
  /** The part of the file that is missing and why, for a person; undefined: it is whole. */
  readonly missing: string | undefined;
}

export interface ContentWriter {
  /** `base` is what the draft starts as (fetched lazily); undefined: empty. */
  draft(options: {
    readonly target: UploadTarget;
    readonly base: ContentVersion | undefined;
    /** The path in the mount: for people, in logs and `.svcfs/uploads`, and for the next mount. */
    readonly label: string;
  }): Promise<Draft>;
  /** Uploads in progress, for `.svcfs/uploads` and `user.svc.upload`. */
  uploads(): readonly UploadProgress[];
  /** The room that files being written take on this machine's disk, for `.svcfs/stats`. */
  spool(): SpoolUsage;
  /** Finds what an ended mount left in the journal; called once, before the first draft. Sends nothing. */
  recover(): Promise<readonly Recovery[]>;
  /** The files kept aside for a person, by this mount or one before it. */
  keptAside(): Promise<readonly AsideFile[]>;
  /** Takes a file that was kept aside back, to be published after all. Throws when it is not whole, or not there. */
  takeBack(draftId: string): Promise<{ readonly label: string; readonly owed: OwedDraft }>;
  /** Drafts of ended mounts whose bytes are at the service, as far as the journal has them; before `recover`. */
  publishedDrafts(): Promise<readonly string[]>;
  /** Stops what is under way and leaves it to the next mount. */
  close(): Promise<void>;
}

/** A file that was kept aside. */
export interface AsideFile {
  /** Of its draft. */
  readonly id: string;
  /** In the mount. */
  readonly label: string;
  /** Where its bytes are on this machine. */
  readonly path: string;
  readonly reason: string;
  /** A close answered that it would be uploaded. */
  readonly acknowledged: boolean;
  /** It is a table of what a file of the platform was to be given; undefined: bytes of a file. */
  readonly owed?: OwedChange | undefined;
}

export interface SpoolUsage {
  readonly usedBytes: number;
  /** Null: as much as the disk has. */
  readonly limitBytes: number | null;
  /** Writes that wait for room. */
  readonly waitingWrites: number;
  /** Bytes that programs have written so far, and those that were fetched to lie around them. */
  readonly writtenBytes: number;
}

export interface UploadProgress {
  readonly label: string;
  readonly uploadId: string | undefined;
  readonly sizeBytes: number;
  /** Of the parts that the service has. */
  readonly storedBytes: number;
  /** These, and what has left this machine of parts under way. */
  readonly sentBytes: number;
  readonly partsInFlight: number;
  /** `waiting`: it was closed, and its upload is about to begin. */
  readonly state: 'writing' | 'waiting' | 'publishing' | 'failed';
  readonly error: string | undefined;
}

/** A draft that an ended mount still owes to the platform. Nothing is tried before a caller asks for it. */
export interface OwedDraft {
  readonly target: UploadTarget;
  readonly annotations: Annotations | undefined;
  /**
   * Its content, committed: to be gone on with as with any other draft, or by `finish`. Undefined: it is on its way to a
   * volume, or at the service already, and other things are owed.
   */
  readonly draft: Draft | undefined;
  /** One try to do all that is owed. A failed try may be made again. */
  finish(): Promise<void>;
  /** It cannot be done: what was written is kept in a file for a person; undefined when nothing is here. */
  keep(because: KeepingReason): Promise<KeptBytes | undefined>;
}

/** The outcome of a draft found in the journal. */
export interface Recovery {
  /** Undefined: nobody knows which it was. */
  readonly draftId: string | undefined;
  readonly label: string;
  readonly outcome: /** Its publication was asked for, and it is the last one of its name. */
    | { readonly kind: 'owed'; readonly owed: OwedDraft }
    /** Not to be published: the bytes are kept at `path`. */
    | { readonly kind: 'kept'; readonly path: string; readonly reason: string }
    /** Never closed by its writer, and no bytes were written that could be kept. */
    | { readonly kind: 'lost'; readonly reason: string }
    /** It is left as it is for the next mount. */
    | { readonly kind: 'failed'; readonly error: unknown };
}

export type ContentErrorKind =
  /** The version's bytes are no more, or are others now. */
  | 'changed'
  /** The spool is at its limit, or its disk takes no more. */
  | 'no-space'
  /** The machine gives the mount no more memory. */
  | 'no-memory'
  /** The mount, or the machine, has as many files open as it may. */
  | 'no-descriptors'
  /** No access to the bytes: the reason says what is missing. */
  | 'unreadable'
  /** A publication has stopped for somebody (`Draft.giveWay`). */
  | 'gave-way'
  | 'failed';

export class ContentError extends Error {
  override readonly name = 'ContentError';
  readonly kind: ContentErrorKind;

  constructor(kind: ContentErrorKind, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.kind = kind;
  }
}
