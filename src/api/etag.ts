/**
 * An ETag (RFC 9110, 8.8.3) as stores and headers write it, without its quotes and the mark of a weak one. Undefined for an
 * empty one: stores that know none of an object say so, and it is the same for all versions.
 */
export function unquoted(etag: string | undefined): string | undefined {
  return etag?.replace(/^(W\/)?"(.*)"$/, '$2') || undefined;
}
