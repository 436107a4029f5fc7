import { ApiError } from '../../api/errors.ts';
import { printable } from '../../lib/printable.ts';
import { CliError } from '../exit-codes.ts';

/** What of a volume the store refuses, by the platform's code, and what helps (undocumented-calls, section 2). */
const BY_CODE: Readonly<Record<number, readonly [what: string, remedy: string]>> = {
  9010: ['the name', 'svcfs volume list shows your volumes, svcfs volume edit changes one'],
  9022: ['the ACL', 'give another --canned-acl, or none'],
  9023: ['the encryption', 'give another --encryption or --kms-key'],
  9024: ['the storage class', 'give another --storage-class, or none'],
  9028: ['the bucket', 'give its name alone, without s3:// and without a path'],
  9029: ['the endpoint', 'give an address such as https://s3.example.org to --store-endpoint'],
  9030: ['the name', 'it has at most 32 letters, digits and _'],
  9014: ['the name', 'it has at most 32 letters, digits and _'],
  9034: ['the credentials', 'give --access-key-id and its secret, or --role'],
  9100: ['the store', 'check --store-endpoint, and whether the service may connect to it'],
  9200: ['the bucket', 'check --bucket and --store-endpoint'],
  9201: ['the access key', 'check --access-key-id'],
  9202: ['the secret', 'check --secret-file, or type it again'],
  9203: ['the role', 'the service must be allowed to take it on: check --role and the external id'],
  9204: ['the right to list', 'let the key list the bucket'],
  9205: ['the right to read', 'let the key read the objects of the bucket'],
  9206: [
    'the right to write',
    'let the key put objects into the bucket, or make the volume with --access-mode RO',
  ],
  9208: ['the region', 'give the endpoint of the region of the bucket to --store-endpoint'],
  9209: ['the endpoint', 'check --store-endpoint'],
};

/** Names which of bucket, key and rights failed. Other errors stay as they are. */
export function explainStore(error: unknown): unknown {
  const known = error instanceof ApiError ? BY_CODE[error.code] : undefined;
  if (!(error instanceof ApiError) || known === undefined) return error;
  const [what, remedy] = known;
  const said = error.message.replace(/[.\s]+$/, '');
  return new CliError('failure', printable(`${what}: ${said} (code ${error.code}). Remedy: ${remedy}`), {
    cause: error,
  });
}
