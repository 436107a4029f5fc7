/**
 * Header names of the API in its neutral words; a dialect of the client maps the first two to a vendor's.
 * Node gives incoming names in lower case: compare without case.
 */
export const AUTH_TOKEN_HEADER = 'X-SVC-Auth-Token';
/** Sent with the value `advance` (any case); adds `parent` and `root_folder`, and is required to create folders. */
export const ADVANCE_ACCESS_HEADER = 'X-SVC-Advance-Access';
export const ADVANCE_ACCESS = 'advance';

/** On every answer. */
export const REQUEST_ID_HEADER = 'X-Request-Id';
/** Requests allowed per window, left in this window, and when it ends (unix seconds). On every answer. */
export const RATE_LIMIT_HEADER = 'X-RateLimit-Limit';
export const RATE_REMAINING_HEADER = 'X-RateLimit-Remaining';
export const RATE_RESET_HEADER = 'X-RateLimit-Reset';
/** Entries matching the query over all pages. On every list answer but the contents of a volume. */
export const TOTAL_HEADER = 'X-Total-Matching-Query';

/** On `GET /user`: when the token of the call ends (ISO 8601), if it does. An addition of ours. */
export const TOKEN_EXPIRES_HEADER = 'X-Token-Expires';

/** `POST /upload/inline`: metadata as a JSON object and tags as a JSON array, both in base64url. */
export const INLINE_METADATA_HEADER = 'X-SVC-Metadata';
export const INLINE_TAGS_HEADER = 'X-SVC-Tags';
/** `POST /upload/inline`: the MD5 of the body, its 16 bytes in base64 (RFC 1864). */
export const CONTENT_MD5_HEADER = 'Content-MD5';
