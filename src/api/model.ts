/**
 * The platform's resources as the rest of the client sees them. They are parsed once at the edge: numbers are numbers,
 * times are milliseconds, cases are settled. So no other folder looks at wire JSON.
 */

/** Where a file's bytes are: in the platform's own store, or an object of a volume (the file is then an alias). */
export type Storage =
  | { readonly kind: 'platform'; readonly locations: readonly string[] }
  | {
      readonly kind: 'volume';
      readonly volume: string;
      readonly location: string;
      /** The record is not of an alias, but of this object itself. */
      readonly etag?: string | undefined;
    };

export interface FileRecord {
  readonly kind: 'file';
  readonly id: string;
  readonly name: string;
  /** `owner/short-name` */
  readonly project: string;
  /** Id of the folder; absent from servers that hide it. */
  readonly parent: string | undefined;
  readonly sizeBytes: number;
  readonly createdMs: number;
  readonly modifiedMs: number;
  readonly storage: Storage;
  readonly originTask: string | undefined;
  readonly originDataset: string | undefined;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface FolderRecord {
  readonly kind: 'folder';
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly parent: string | undefined;
  readonly createdMs: number | undefined;
  readonly modifiedMs: number | undefined;
}

/** Files of a project that have these values. Each field once: `name`, `tag`, `origin.task`, `metadata.KEY`. */
export interface FileSearch {
  /** `owner/short-name` */
  readonly project: string;
  readonly equals: readonly { readonly field: string; readonly value: string }[];
  /** Of the page before. */
  readonly continuation?: string | undefined;
}

export interface FoundFiles {
  readonly files: readonly FileRecord[];
  /** Undefined: there are no more. */
  readonly continuation: string | undefined;
}

export type EntryRecord = FileRecord | FolderRecord;

export interface ProjectPermissions {
  readonly read: boolean;
  readonly write: boolean;
  readonly copy: boolean;
  readonly execute: boolean;
  readonly admin: boolean;
}

/** A project as a listing of projects has it. */
export interface ProjectSummary {
  readonly id: string;
  readonly owner: string;
  readonly shortName: string;
  readonly name: string;
  readonly createdBy?: string | undefined;
  readonly createdMs?: number | undefined;
}

export interface ProjectRecord extends ProjectSummary {
  readonly description: string;
  readonly tags: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly permissions: ProjectPermissions;
  readonly billingGroup: string | undefined;
  readonly createdBy: string | undefined;
  readonly createdMs: number | undefined;
  readonly modifiedMs: number | undefined;
  readonly rootFolder: string;
}

/** A user in a project or volume, and what they may do there: `read`, `write` and so on. */
export interface MemberRecord {
  readonly username: string;
  readonly email: string | undefined;
  readonly permissions: Readonly<Record<string, boolean>>;
}

/** An app as a listing of apps has it. */
export interface AppSummary {
  /** `owner/project/app` */
  readonly id: string;
  readonly name: string;
}

/** One revision of an app. */
export interface AppRecord {
  /** `owner/project/app/revision` */
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly revision: number;
  /** The document; its numbers as `parseExactly` leaves them. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** An exact amount, as text. */
export interface Amount {
  readonly currency: string;
  readonly amount: string;
}

export interface BillingGroup {
  /** A UUID. */
  readonly id: string;
  readonly name: string;
  readonly owner: string | undefined;
  readonly type: string | undefined;
  readonly isDisabled: boolean;
  /** Undefined in a listing. */
  readonly balance: Amount | undefined;
}

/** What a billing group paid for, by project and task. */
export interface BillingBreakdown {
  readonly total: Amount;
  readonly projects: readonly {
    /** `owner/short-name`; undefined where the user is no member, or the project is gone. */
    readonly project: string | undefined;
    readonly spent: Amount;
    readonly tasks: readonly {
      readonly id: string | undefined;
      readonly runBy: string;
      readonly startedMs: number | undefined;
      readonly endedMs: number | undefined;
      readonly cost: Amount;
    }[];
  }[];
  /** The answer as it came; its numbers as `parseExactly` leaves them. */
  readonly wire: Readonly<Record<string, unknown>>;
}

/** Numbers in `inputs`, `outputs` and `wire` are as `parseExactly` leaves them. */
export interface TaskRecord {
  /** A UUID. */
  readonly id: string;
  readonly name: string;
  readonly status: string;
  /** `owner/short-name` */
  readonly project: string;
  /** With its revision. */
  readonly app: string;
  readonly message: string;
  readonly createdBy: string | undefined;
  readonly createdMs: number | undefined;
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  readonly price: Amount | undefined;
  /** Why a draft cannot be run, or why a task failed. */
  readonly errors: readonly string[];
  /** Its files are `{class, path: id, name}`; null where unset. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Of a workflow. */
  readonly steps: { readonly completed: number; readonly total: number } | undefined;
  /** The answer as it came. */
  readonly wire: Readonly<Record<string, unknown>>;
}

/** A tool that a task ran; `logs` are ids of files by their names. */
export interface ExecutedTool {
  readonly name: string;
  readonly status: string;
  readonly logs: Readonly<Record<string, string>>;
}

export interface VolumeSummary {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
}

export interface VolumeRecord extends VolumeSummary {
  readonly description: string;
  readonly accessMode: 'RW' | 'RO';
  readonly active: boolean;
  readonly serviceType: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly accessKeyId?: string | undefined;
  /** Of the objects that exports make. */
  readonly properties?: {
    readonly encryption: string | undefined;
    readonly encryptionKey: string | undefined;
    readonly acl: string | undefined;
    readonly storageClass: string | undefined;
  };
  readonly createdMs: number | undefined;
  readonly modifiedMs: number | undefined;
}

export interface VolumeObjectRecord {
  readonly volume: string;
  /** Key below the volume's prefix. */
  readonly location: string;
  /** Undefined when the store's listing left it out: ask for the object itself. */
  readonly sizeBytes: number | undefined;
  readonly etag: string | undefined;
  readonly modifiedMs: number | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface VolumePage {
  readonly objects: readonly VolumeObjectRecord[];
  /** Deeper levels, each ending in `/`. */
  readonly prefixes: readonly string[];
  readonly continuation: string | undefined;
}

/** One page of a collection, and how many items match in all (`X-Total-Matching-Query`). */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
  /** So many more came that cannot be used. */
  readonly leftOut?: number;
}

/** The platform's standard error object, as a failed call, job or bulk entry carries it. */
export interface Failure {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

/** An entry of a bulk answer, in the order asked. */
export type BulkResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export type TransferState = 'PENDING' | 'RUNNING' | 'COMPLETED' | 'FAILED';

/** An import or export job. */
export interface TransferJob {
  readonly kind: 'import' | 'export';
  readonly id: string;
  readonly state: TransferState;
  readonly failure: Failure | undefined;
  /** The alias: the imported file, or the exported file as it is now. */
  readonly result: FileRecord | undefined;
}

export type AsyncState = 'SUBMITTED' | 'RESOLVING' | 'RUNNING' | 'FINISHED';

/** A copy, move or delete of files and folders. */
export interface AsyncFileJob {
  readonly kind: 'copy' | 'move' | 'delete';
  readonly id: string;
  readonly state: AsyncState;
  readonly failedFiles: number;
  readonly results: readonly BulkResult<EntryRecord | undefined>[];
}

export interface UploadTicket {
  readonly uploadId: string;
  readonly partSizeBytes: number;
  /** False: one part in flight at a time. */
  readonly parallel: boolean;
}

export interface PartReport {
  readonly partNumber: number;
  readonly etag: string;
}

/** A signed address of one part or one object. */
export interface SignedUrl {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresMs: number | undefined;
}

export type Capability =
  | 'volume_download_info'
  | 'job_wait'
  | 'variable_part_size'
  | 'rename_overwrite'
  | 'upload_inline'
  | 'download_info_file'
  | 'copy_annotations';
