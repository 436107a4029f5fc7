/**
 * The platform's API as the file system uses it. One method is one call of the API document unless its comment says
 * otherwise: a reader of code against this interface can count requests. A file whose size an answer leaves out costs
 * one more, for its details.
 *
 * Every method rejects with an `ApiError` (the platform said no), a `TransportError` (no answer within the time
 * allowed) or the signal's reason. Retries, the rate budget, paging headers and the token are the client's business.
 */
import type { CallOptions, ListOptions, PageRequest, Place, Priority } from './call-options.ts';
import type { AppsApi, BillingApi, TasksApi } from './compute.ts';
import type {
  AsyncFileJob,
  BulkResult,
  Capability,
  EntryRecord,
  FileRecord,
  FileSearch,
  FolderRecord,
  FoundFiles,
  MemberRecord,
  Page,
  PartReport,
  ProjectRecord,
  ProjectSummary,
  SignedUrl,
  TransferJob,
  UploadTicket,
  VolumeObjectRecord,
  VolumePage,
  VolumeRecord,
  VolumeSummary,
} from './model.ts';
import type { OnSending } from './transport/sent-bytes.ts';

/** The owner of the token. */
export interface OwnUser {
  readonly username: string;
  /** When the token ends; undefined when it does not, or the service does not tell. */
  readonly tokenEndsMs?: number;
}

/** Fields of a project that its administrators edit. A field that is left out stays; `settings` are merged. */
export interface ProjectEdit {
  readonly name?: string;
  readonly description?: string;
  /** A UUID. */
  readonly billing_group?: string;
  readonly tags?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The calls on the members of a project or volume. */
export interface MembersApi {
  members(id: string, page: PageRequest, options?: CallOptions): Promise<Page<MemberRecord>>;
  /** Of a user who is none yet. */
  addMember(
    id: string,
    member: { readonly username: string; readonly permissions: Readonly<Record<string, boolean>> },
    options?: CallOptions,
  ): Promise<void>;
  /** Replaces all permissions. */
  setPermissions(
    id: string,
    member: { readonly username: string; readonly permissions: Readonly<Record<string, boolean>> },
    options?: CallOptions,
  ): Promise<void>;
  removeMember(id: string, username: string, options?: CallOptions): Promise<void>;
}

export interface ProjectsApi extends MembersApi {
  /** `name`: a part of the name, whatever its case. */
  list(
    page: PageRequest & { readonly name?: string | undefined },
    options?: CallOptions,
  ): Promise<Page<ProjectSummary>>;
  get(id: string, options?: CallOptions): Promise<ProjectRecord>;
  /** The platform makes the id from the name. Two projects may have one name: their ids differ. */
  create(project: ProjectEdit & { readonly name: string }, options?: CallOptions): Promise<ProjectRecord>;
  edit(id: string, changes: ProjectEdit, options?: CallOptions): Promise<void>;
  /** With all that is in it. */
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** New tags and metadata of a file. */
export interface FileEdit {
  readonly id: string;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface FilesApi {
  get(id: string, options?: CallOptions): Promise<EntryRecord>;
  /** The entry of exactly that name in a folder, or in the root folder of a project; or undefined. */
  find(
    place: Place | { readonly project: string; readonly name: string },
    options?: CallOptions,
  ): Promise<EntryRecord | undefined>;
  /** One page of a folder with everything `ls -l` and `getfattr` need, by name in byte order. */
  list(folder: string, page: PageRequest, options?: ListOptions): Promise<Page<EntryRecord>>;
  /** 100 files of a project, in no order of names, whatever their folders. What was just written may be missing. */
  search(search: FileSearch, options?: CallOptions): Promise<FoundFiles>;
  /** Rename, tags or metadata (merged). `overwrite` needs capability `rename_overwrite`. */
  edit(
    id: string,
    changes: { name?: string; tags?: readonly string[]; metadata?: Readonly<Record<string, string>> },
    options?: CallOptions & { readonly overwrite?: boolean },
  ): Promise<FileRecord>;
  move(id: string, to: Place, options?: CallOptions & { readonly overwrite?: boolean }): Promise<FileRecord>;
  /** The copy has the metadata and tags of its source. Capability `copy_annotations`: these pairs too, and these tags instead. */
  copy(
    id: string,
    to: Place & {
      readonly metadata?: Readonly<Record<string, string>> | undefined;
      readonly tags?: readonly string[] | undefined;
    },
    options?: CallOptions,
  ): Promise<FileRecord>;
  delete(id: string, options?: CallOptions): Promise<void>;
  createFolder(place: Place, options?: CallOptions): Promise<FolderRecord>;
  /** Merges; answers all pairs there are then. */
  patchMetadata(
    id: string,
    pairs: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<Readonly<Record<string, string>>>;
  /** Replaces all pairs. */
  putMetadata(
    id: string,
    pairs: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<Readonly<Record<string, string>>>;
  /** Replaces all tags. */
  putTags(id: string, tags: readonly string[], options?: CallOptions): Promise<readonly string[]>;
  downloadInfo(id: string, options?: CallOptions): Promise<{ readonly url: string }>;
  /** Needs capability `download_info_file`. */
  downloadInfoAndFile(
    id: string,
    options?: CallOptions,
  ): Promise<{ readonly url: string; readonly file: FileRecord }>;
  /** At most 100 ids; answers in their order. */
  bulkGet(ids: readonly string[], options?: CallOptions): Promise<readonly BulkResult<EntryRecord>[]>;
  /** At most 100 files. Pairs are merged; what is left out stays. Each file is answered as it is then. */
  bulkEdit(edits: readonly FileEdit[], options?: CallOptions): Promise<readonly BulkResult<EntryRecord>[]>;
  /** As `bulkEdit`, but pairs are replaced. Tags and pairs that are left out are erased. */
  bulkUpdate(edits: readonly FileEdit[], options?: CallOptions): Promise<readonly BulkResult<EntryRecord>[]>;
  /** As `bulkGet`. */
  bulkDelete(ids: readonly string[], options?: CallOptions): Promise<readonly BulkResult<void>[]>;
}

/** Of an upload to a bucket. */
interface ReplacedObject {
  /** The object that is there, by `BucketsApi.fileIdOf`. */
  readonly replaces?: string | undefined;
  /** Another one is not replaced: `ApiError` with status 412. */
  readonly onlyIfSame?: boolean | undefined;
}

export interface UploadsApi {
  /** `sizeBytes` and `partSizeBytes` are wishes: the part size of the ticket counts. */
  initialise(
    target: Place & {
      readonly overwrite: boolean;
      readonly sizeBytes?: number;
      readonly partSizeBytes?: number;
    } & ReplacedObject,
    options?: CallOptions,
  ): Promise<UploadTicket>;
  partUrl(uploadId: string, partNumber: number, options?: CallOptions): Promise<SignedUrl>;
  report(uploadId: string, parts: readonly PartReport[], options?: CallOptions): Promise<void>;
  /** The reports given here need not have been made before. */
  complete(uploadId: string, parts: readonly PartReport[], options?: CallOptions): Promise<FileRecord>;
  abort(uploadId: string, options?: CallOptions): Promise<void>;
  /** The parts the platform has on report; rejects with 8003 when the upload is no more. */
  reportedParts(
    uploadId: string,
    options?: CallOptions,
  ): Promise<UploadTicket & { readonly parts: readonly PartReport[] }>;
  /**
   * Needs capability `upload_inline`; at most 8 MiB. Metadata and tags travel in headers: a few KiB. `ApiError` 8016 when
   * other bytes arrived than those of `md5`.
   */
  inline(
    target: Place &
      ReplacedObject & {
        readonly overwrite: boolean;
        /** Of the content, in hexadecimal. */
        readonly md5?: string | undefined;
        /**
         * Without `overwrite`, after a lost answer: whether a new file of the name and size has this content, and not another
         * client's. Not given: it has.
         */
        readonly isSame?: ((file: FileRecord) => Promise<boolean>) | undefined;
        readonly metadata?: Readonly<Record<string, string>> | undefined;
        readonly tags?: readonly string[] | undefined;
        readonly onSending?: OnSending | undefined;
      },
    content: Uint8Array,
    options?: CallOptions,
  ): Promise<FileRecord>;
}

/** Where the objects of a volume are, as the API document has it (Volume service). */
export interface VolumeServiceEdit {
  readonly type?: string;
  readonly bucket?: string;
  readonly prefix?: string;
  readonly endpoint?: string;
  readonly credentials?: Readonly<Record<string, string>>;
  readonly properties?: Readonly<Record<string, string | null>>;
}

/** Fields of a volume that its administrators edit. A field that is left out stays, also inside `service`. */
export interface VolumeEdit {
  readonly description?: string;
  readonly access_mode?: 'RW' | 'RO';
  readonly service?: VolumeServiceEdit;
  readonly active?: boolean;
}

export interface VolumesApi extends MembersApi {
  /** `ApiError` 9010 when one has the name, 9200 to 9209 when the store does not do what a volume needs. */
  create(
    volume: VolumeEdit & { readonly name: string; readonly service: VolumeServiceEdit },
    options?: CallOptions,
  ): Promise<VolumeRecord>;
  /** `force`: jobs that are not over do not keep it from being deactivated; they end. */
  edit(
    id: string,
    changes: VolumeEdit & { readonly force?: boolean },
    options?: CallOptions,
  ): Promise<VolumeRecord>;
  /** Of one that is not active. Its objects stay. */
  delete(id: string, options?: CallOptions): Promise<void>;
  list(page: PageRequest, options?: CallOptions): Promise<Page<VolumeSummary>>;
  get(id: string, options?: CallOptions): Promise<VolumeRecord>;
  /** One level: objects directly below `prefix` (empty or ending in `/`) and the prefixes one deeper. */
  contents(
    volume: string,
    query: { readonly prefix: string; readonly continuation?: string | undefined },
    options?: ListOptions,
  ): Promise<VolumePage>;
  /** Undefined when the volume has no such object. */
  object(volume: string, location: string, options?: CallOptions): Promise<VolumeObjectRecord | undefined>;
  /** Needs capability `volume_download_info`, or keys of the bucket: then it is no call, and tells nothing but the address. */
  downloadInfo(
    volume: string,
    location: string,
    options?: CallOptions,
  ): Promise<{
    readonly url: string;
    readonly sizeBytes: number | undefined;
    readonly etag: string | undefined;
  }>;
}

/**
 * Volumes whose bucket the user has keys for. Their objects are read and written there, by the store's own protocol. None of
 * this is a call of the platform, and the rate limit counts none of it.
 */
export interface BucketsApi {
  has(volume: string): boolean;
  /** In place of a folder's id, for uploads: the name of what is uploaded is its location then. */
  folderOf(volume: string): string;
  isFolder(id: string): boolean;
  /** In place of a file's id: of the object that has this ETag. */
  fileIdOf(volume: string, location: string, etag: string): string;
  /** As `FilesApi.find`, in the place of a folder. */
  find(place: Place, options?: CallOptions): Promise<FileRecord | undefined>;
  /** Done too when there is no such object. */
  delete(volume: string, location: string, options?: CallOptions): Promise<void>;
  /** Whether the store copies from one volume to the other by itself. */
  canCopy(from: string, to: string): boolean;
  /** Copies an object by the store itself, if it still has this ETag (`ApiError` 404 or 412), however large it is. */
  copy(
    from: { readonly volume: string; readonly location: string; readonly etag: string | undefined },
    to: { readonly volume: string; readonly location: string; readonly overwrite: boolean },
    options?: CallOptions,
  ): Promise<VolumeObjectRecord>;
  /** Why the store refuses the bytes of an object; undefined: it does not, by now. */
  refusalOf(volume: string, location: string, options?: CallOptions): Promise<Error | undefined>;
}

export interface ImportRequest {
  readonly volume: string;
  readonly location: string;
  /** Folder id. */
  readonly parent: string;
  readonly name: string;
  readonly overwrite: boolean;
}

export interface ExportRequest {
  readonly file: string;
  readonly volume: string;
  readonly location: string;
  readonly overwrite: boolean;
}

export interface TransfersApi {
  /** At most 100. */
  startImports(
    requests: readonly ImportRequest[],
    options?: CallOptions,
  ): Promise<readonly BulkResult<TransferJob>[]>;
  /** At most 100. `copyOnly` keeps the sources' content on the platform. */
  startExports(
    requests: readonly ExportRequest[],
    copyOnly: boolean,
    options?: CallOptions,
  ): Promise<readonly BulkResult<TransferJob>[]>;
  /**
   * At most 100 jobs of one kind, in their order. With capability `job_wait`, `waitSeconds` (at most 30) holds the
   * answer back until the first change of state.
   */
  get(
    kind: 'import' | 'export',
    ids: readonly string[],
    options?: CallOptions & { readonly waitSeconds?: number },
  ): Promise<readonly BulkResult<TransferJob>[]>;
}

export interface StartedJob extends AsyncFileJob {
  /** The answer was lost, and this is the only job of its kind that began then: it may be another client's. */
  readonly isGuess: boolean;
}

export interface AsyncFilesApi {
  start(
    kind: 'copy' | 'move' | 'delete',
    items: readonly { readonly file: string; readonly parent?: string; readonly name?: string }[],
    options?: CallOptions,
  ): Promise<StartedJob>;
  get(
    kind: 'copy' | 'move' | 'delete',
    id: string,
    options?: CallOptions & { readonly waitSeconds?: number },
  ): Promise<AsyncFileJob>;
}

/** What can be asked for by its id: of an app, `owner/project/app`, with or without a revision; of a breakdown, its billing group. */
export type RecordKind = 'app' | 'breakdown' | 'file' | 'project' | 'volume';
export type CollectionKind = 'apps' | 'billing groups' | 'invoices' | 'members';

/** As the service wrote it: in its own words and order. Numbers are as `parseExactly` leaves them. */
export type PlatformRecord = Readonly<Record<string, unknown>>;

/** Answers that are shown to people as they are. Nothing of them is translated or left out. */
export interface RecordsApi {
  get(kind: RecordKind, id: string, options?: CallOptions): Promise<PlatformRecord>;
  /** `of`: of members, the project; all else of the query as the API document has it. */
  list(
    kind: CollectionKind,
    query: Readonly<Record<string, string | undefined>>,
    page: PageRequest,
    options?: CallOptions,
  ): Promise<Page<PlatformRecord>>;
}

export interface Api {
  /** Name of the token's user. */
  whoAmI(options?: CallOptions): Promise<OwnUser>;
  /** The additions of this service to the platform's API; asked for once. */
  capabilities(options?: CallOptions): Promise<ReadonlySet<Capability>>;
  /** As far as is known: false before `capabilities` was answered. No call. */
  isKnownToOffer(capability: Capability): boolean;
  /** Where links of files lead (`https://host:port`), where `capabilities` was answered and tells. No call. */
  downloadOrigin(): string | undefined;
  readonly projects: ProjectsApi;
  readonly files: FilesApi;
  readonly uploads: UploadsApi;
  readonly volumes: VolumesApi;
  readonly buckets: BucketsApi;
  readonly transfers: TransfersApi;
  readonly asyncFiles: AsyncFilesApi;
  readonly records: RecordsApi;
  readonly apps: AppsApi;
  readonly billing: BillingApi;
  readonly tasks: TasksApi;
  /** Whether the rate budget would let a call of this priority go at once. */
  hasRoom(priority: Priority): boolean;
  /** Whether a look of the program that asks now would wait for the next interval of the rate limit. */
  isSpent(): boolean;
  /** Calls under way fail. */
  close(): Promise<void>;
}
