const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const TIB = 1024 * GIB;

/** service-api.md, Limits; undocumented-calls.md, 1.1 and 3. Sizes in bytes. */
export const PAGE_LIMIT_MAX = 100;
export const PAGE_LIMIT_DEFAULT = 25;
/** Entries in one page of a volume's contents when the caller names no limit. */
export const VOLUME_PAGE_LIMIT_DEFAULT = 100;
export const BULK_ITEMS_MAX = 100;
/** Values of one query parameter that may be repeated, and words of one search: each is a condition of the query. */
export const QUERY_VALUES_MAX = 100;
/** Characters of an id in a body: those of the platform are far shorter. */
export const ID_LENGTH_MAX = 512;
/** Characters of a name or a location in a body. The limit of each call is lower, and has a code of its own. */
export const NAME_LENGTH_MAX = 4096;

/** Keys of metadata in one filter: each is a table more to join, and the planning of joins grows faster than they do. */
export const METADATA_FILTERS_MAX = 20;
export const METADATA_PAIRS_MAX = 1000;
export const METADATA_KEY_BYTES_MAX = 100;
export const METADATA_VALUE_BYTES_MAX = 300;
export const TAGS_MAX = 1000;
export const TAG_BYTES_MAX = 300;

/** Characters, not bytes. */
export const FILE_NAME_LENGTH_MAX = 255;
/** Folder names must not begin with it. */
export const RESERVED_FOLDER_PREFIX = '__';
export const VOLUME_NAME_LENGTH_MAX = 32;

/** Every part but the last. */
export const PART_SIZE_MIN = 5 * MIB;
export const PART_SIZE_MAX = 5 * GIB;
/** The part size of an upload that is initialised without a usable `part_size`. */
export const PART_SIZE_DEFAULT = 32 * MIB;
export const PART_COUNT_MAX = 10_000;
export const OBJECT_SIZE_MAX = 5 * TIB;
/** `POST /upload/inline`, capability `upload_inline`. */
export const INLINE_SIZE_MAX = 8 * MIB;

/** `GET …/{job}?wait=SECONDS`, capability `job_wait`. */
export const JOB_WAIT_SECONDS_MAX = 30;
