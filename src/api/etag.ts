/**
 * An ETag (RFC 9110, 8.8.3) as stores and headers write it, without its quotes and the mark of a weak one. Undefined for an
 * empty one: stores that know none of an object say so, and it is the same for all versions.
 */
export function unquoted(etag: string | undefined): string | undefined {
  return etag?.replace(/^(W\/)?"(.*)"$/, '$2') || undefined;
}

/**
 * The MD5 in hex that an ETag is; undefined when it is something else. Under a managed key it looks like one and is none
 * (Amazon S3 API, Object).
 */
export function md5OfEtag(etag: string | undefined, encryption: string | undefined): string | undefined {
  if (encryption?.includes('kms') === true) return undefined;
  return /^[0-9a-f]{32}$/i.test(etag ?? '') ? etag?.toLowerCase() : undefined;
}
