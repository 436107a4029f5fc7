/**
 * The names by which objects, and uploads of them, stand where the platform has ids of files, folders and uploads. The platform
 * makes no id with a colon. A journal keeps them, so that a later mount reads what they say.
 */

const MARK = 'bucket:';

export interface BucketFile {
  /** `owner/name` */
  readonly volume: string;
  readonly etag: string;
  readonly location: string;
}

export interface BucketUpload {
  readonly volume: string;
  /** The store's own. */
  readonly uploadId: string;
  readonly condition: Condition;
  readonly location: string;
}

/** What may be under a key when something is put there: anything, nothing, or the object of an ETag. */
export type Condition = { readonly ifAbsent: true } | { readonly ifEtag: string } | undefined;

/** The whole of a volume: its objects are entries whose names are their locations. */
export function bucketFolderId(volume: string): string {
  return MARK + volume;
}

/** The volume; undefined for a folder of the platform. */
export function volumeOfFolder(id: string): string | undefined {
  return id.startsWith(MARK) ? id.slice(MARK.length) : undefined;
}

/** Another object under the same key is another file. */
export function bucketFileId({ volume, etag, location }: BucketFile): string {
  return [MARK + volume, encodeURIComponent(etag), location].join('/');
}

/** Undefined: it is no object's. */
export function bucketFileOf(id: string): BucketFile | undefined {
  const [volume, etag = '', location] = partsOf(id, 2) ?? [];
  return volume === undefined || location === undefined
    ? undefined
    : { volume, etag: decodeURIComponent(etag), location };
}

export function bucketUploadId({ volume, uploadId, condition, location }: BucketUpload): string {
  return [MARK + volume, encodeURIComponent(uploadId), conditionText(condition), location].join('/');
}

/** Undefined for an upload of the platform. */
export function bucketUploadOf(id: string): BucketUpload | undefined {
  const [volume, uploadId = '', condition = '', location] = partsOf(id, 3) ?? [];
  if (volume === undefined || location === undefined) return undefined;
  return { volume, uploadId: decodeURIComponent(uploadId), condition: conditionOf(condition), location };
}

/** The volume and so many parts after it, of which the last may hold slashes. */
function partsOf(id: string, count: number): readonly string[] | undefined {
  if (!id.startsWith(MARK)) return undefined;
  const [owner = '', name = '', ...rest] = id.slice(MARK.length).split('/');
  return [`${owner}/${name}`, ...rest.slice(0, count - 1), rest.slice(count - 1).join('/')];
}

const ANY = 'any';
const ABSENT = 'absent';
const ETAG = 'etag-';

function conditionText(condition: Condition): string {
  if (condition === undefined) return ANY;
  return 'ifAbsent' in condition ? ABSENT : ETAG + encodeURIComponent(condition.ifEtag);
}

function conditionOf(text: string): Condition {
  if (text === ABSENT) return { ifAbsent: true };
  return text.startsWith(ETAG) ? { ifEtag: decodeURIComponent(text.slice(ETAG.length)) } : undefined;
}
