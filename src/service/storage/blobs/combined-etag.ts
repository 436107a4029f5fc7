import { createHash } from 'node:crypto';

/** The ETag of a whole made of parts: the part's own when there is one, else as S3 forms it. */
export function combinedEtag(partMd5s: readonly string[]): string {
  const [only, another] = partMd5s;
  if (only !== undefined && another === undefined) return only;
  const md5 = createHash('md5');
  for (const part of partMd5s) md5.update(part, 'hex');
  return `${md5.digest('hex')}-${partMd5s.length}`;
}
