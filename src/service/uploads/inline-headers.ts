import { Compile } from 'typebox/compile';
import { type FileMetadata, MetadataBody, TagsBody } from '../../contract/file.ts';
import { checkMetadata, checkTags } from '../files/files.ts';
import { parseJsonBody } from '../http/json-body.ts';
import { ServiceError } from '../http/service-error.ts';

const metadataBody = Compile(MetadataBody);
const tagsBody = Compile(TagsBody);

const MD5_BYTES = 16;

type HeaderValue = string | string[] | undefined;

/** Metadata beside an inline upload. @throws ServiceError 5006 */
export function inlineMetadata(header: HeaderValue): FileMetadata {
  const value = decode(header) ?? {};
  if (!metadataBody.Check(value)) throw new ServiceError(5006);
  return checkMetadata(value);
}

/** Tags beside an inline upload. @throws ServiceError 90000 */
export function inlineTags(header: HeaderValue): string[] {
  const value = decode(header) ?? [];
  if (!tagsBody.Check(value)) throw new ServiceError(90000, 'The tags must be a JSON array of strings.');
  return checkTags(value);
}

/** MD5 of an inline upload in hexadecimal; undefined when none was given. @throws ServiceError 90000 */
export function contentMd5(header: HeaderValue): string | undefined {
  if (header === undefined) return undefined;
  const md5 = Buffer.from(String(header), 'base64');
  if (md5.length !== MD5_BYTES) throw new ServiceError(90000, 'Content-MD5 is the base64 of 16 bytes.');
  return md5.toString('hex');
}

/** JSON in base64url. */
function decode(header: HeaderValue): unknown {
  if (header === undefined) return undefined;
  if (Array.isArray(header)) throw new ServiceError(90000, 'A header was given more than once.');
  return parseJsonBody(Buffer.from(header, 'base64url'));
}
