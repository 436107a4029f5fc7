/**
 * Moves and copies that the platform carries out itself, so that no byte passes this machine.
 *
 * A request names a source and a target. A pure plan (`plan-move.ts`, `plan-copy.ts`) decides which calls the request
 * becomes, or why it cannot be. Running it waits for the jobs of every request together, with one bulk call for all of
 * them.
 *
 * These rules hold:
 *
 * - A request that the platform would forbid is refused before anything is sent (`TransferRefused`).
 * - An aborted wait ends only the waiting. The job goes on, stays in the registry, and can be waited for by id.
 * - A failed job rejects with `JobError`. Results of the request's other jobs stay, and the request can be made again: an
 *   entry that is already in its place counts as done.
 */
import type { EntryRecord, FileRecord, FolderRecord, ProjectPermissions } from '../api/model.ts';

/** Project files are moved and copied by id, volume objects by location; a folder or prefix means all below it. */
export type TransferSource =
  | { readonly kind: 'file'; readonly file: FileRecord; readonly permissions: ProjectPermissions }
  | { readonly kind: 'folder'; readonly folder: FolderRecord; readonly permissions: ProjectPermissions }
  | { readonly kind: 'object'; readonly volume: string; readonly location: string }
  /** `prefix` ends in `/`. */
  | { readonly kind: 'prefix'; readonly volume: string; readonly prefix: string };

export type TransferTarget =
  | {
      readonly kind: 'project';
      /** `owner/short-name` */
      readonly project: string;
      /** Folder id. */
      readonly parent: string;
      readonly name: string;
      readonly permissions: ProjectPermissions;
    }
  | {
      readonly kind: 'volume';
      readonly volume: string;
      readonly accessMode: 'RW' | 'RO';
      readonly active: boolean;
      /** Of the object, or of the folder without the last `/`. */
      readonly location: string;
    };

/** Pairs that a copy has beside those of its source, and tags in the place of its source's. */
export interface CopyAnnotations {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags?: readonly string[] | undefined;
}

export interface TransferRequest {
  readonly source: TransferSource;
  readonly target: TransferTarget;
  /**
   * Replace a file or object of that name. A rename or move inside a project needs capability `rename_overwrite`
   * for it; the other calls take it always.
   */
  readonly overwrite: boolean;
  /**
   * A folder of the target's name is there, on the other side of a volume's border: nothing is sent when it has another
   * file or object in the place of one.
   */
  readonly merges?: boolean;
  /** Of the copy of a file inside the platform. A service without capability `copy_annotations` leaves them to the caller. */
  readonly annotations?: CopyAnnotations | undefined;
  /** As the user wrote them or sees them, for the registry. */
  readonly paths: { readonly source: string; readonly target: string };
}

/** The result that a program finds after a move or copy. */
export type TransferOutcome =
  /** It already was as asked. */
  | { readonly kind: 'unchanged' }
  /** The moved or copied entry; a job gives it another name than was asked for where another client has taken that. */
  | { readonly kind: 'entry'; readonly entry: EntryRecord }
  /** Objects now on the volume. `aliases`: the exported project files as they are now; empty for a copy. */
  | {
      readonly kind: 'exported';
      readonly locations: readonly string[];
      readonly aliases: readonly FileRecord[];
    }
  /** Aliases now in the project, and the folders made for them, outermost first. */
  | {
      readonly kind: 'imported';
      readonly files: readonly FileRecord[];
      readonly folders: readonly FolderRecord[];
    };

/** Why a transfer is not even tried. */
export type RefusalReason =
  /** The volume is read-only. */
  | 'read-only-volume'
  | 'inactive-volume'
  /** Of the caller, on the project. */
  | 'no-permission'
  /** Aliases and files of hosted datasets are never exported. */
  | 'not-exportable'
  /** The platform has no call that copies from volume to volume. */
  | 'volume-to-volume'
  /** A copy cannot replace a file: the service lacks `rename_overwrite`. */
  | 'target-exists'
  /** The folder that is there has another file or object of a name. */
  | 'target-not-empty'
  /** A folder into itself. */
  | 'into-itself'
  /** A name or location the platform does not take. */
  | 'bad-name'
  /** An object stays where it is: volumes rename and delete nothing. */
  | 'volume-is-append-only';

export interface TransferOptions {
  /** Ends the waiting, not the job. */
  readonly signal?: AbortSignal | undefined;
}

export type JobKind = 'import' | 'export' | 'copy' | 'move' | 'delete';
export type JobState = 'pending' | 'running' | 'done' | 'failed';

/** A job that this mount started. */
export interface JobRecord {
  readonly id: string;
  readonly kind: JobKind;
  readonly source: string;
  readonly target: string | undefined;
  readonly state: JobState;
  readonly startedMs: number;
  readonly finishedMs: number | undefined;
  readonly failure: { readonly code: number; readonly message: string } | undefined;
}

/** All that one move, copy or deletion has the platform do; that of a folder may be many of its jobs. */
export interface WorkRecord extends JobRecord {
  /** Items: files of a folder, or one. */
  readonly total: number;
  readonly done: number;
  readonly failed: readonly {
    readonly source: string;
    readonly target: string | undefined;
    readonly failure: { readonly code: number; readonly message: string };
  }[];
}

export interface Works {
  /** Oldest first; all unfinished ones and the last thousand finished ones. */
  list(): readonly WorkRecord[];
  get(id: string): WorkRecord | undefined;
  /** Resolves when it is over, whether items failed or not; undefined when it is not known. */
  wait(id: string, signal?: AbortSignal): Promise<WorkRecord | undefined>;
  /** Does the items that failed once more, and resolves when they are over. */
  retry(id: string): Promise<void>;
  /** Items that have not begun do not begin; the platform ends none that has. */
  cancel(id: string): void;
}

export interface JobRegistry {
  /** Oldest first; all unfinished ones and the last thousand finished ones. */
  list(): readonly JobRecord[];
  get(id: string): JobRecord | undefined;
  /** The newest job whose source or target is this path. */
  ofPath(path: string): JobRecord | undefined;
}

export interface Jobs extends JobRegistry {
  readonly works: Works;
  /** Rejects with `TransferRefused`, `JobError`, what the API rejects with, or the signal's reason. */
  move(request: TransferRequest, options?: TransferOptions): Promise<TransferOutcome>;
  /** As `move`, but the source stays as it is. */
  copy(request: TransferRequest, options?: TransferOptions): Promise<TransferOutcome>;
  /** Deletes files, and folders with all below them, a hundred in a job. `path` is for the registry. */
  delete(
    entries: { readonly ids: readonly string[]; readonly path: string },
    options?: TransferOptions,
  ): Promise<void>;
  /**
   * Resolves with the finished job, failed or not; at once when it is finished; undefined when it is not known. Rejects as asking
   * did, and from `close` on with `WatchingEnded`.
   */
  wait(id: string, options?: TransferOptions): Promise<JobRecord | undefined>;
  /** Jobs not finished. */
  pending(): number;
  /** Ends all watching; the jobs go on. */
  close(): void;
}
