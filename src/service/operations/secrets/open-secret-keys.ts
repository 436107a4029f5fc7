import { join } from 'node:path';
import { SecretKeyFile } from './secret-key-file.ts';
import { givenSecretKeys, SecretKeyError, type SecretKeys, type SecretKeysGiven } from './secret-keys.ts';

/**
 * The keys that the operator gave, in a file or as text; else, of a service that has its data directory for itself, those
 * of a file there, which is made at the first start.
 *
 * @throws SecretKeyError
 */
export async function openSecretKeys({
  secretKeys,
  databaseUrl,
  dataDir,
}: {
  readonly secretKeys?: SecretKeysGiven | undefined;
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
}): Promise<SecretKeys> {
  if (secretKeys !== undefined && 'text' in secretKeys) {
    return givenSecretKeys(secretKeys.text, secretKeys.source);
  }
  if (secretKeys === undefined && databaseUrl !== undefined) {
    throw new SecretKeyError(
      'with a PostgreSQL database all processes need the same key for secrets: --secret-key-file, or SVCFS_SECRET_KEY',
    );
  }
  const file = new SecretKeyFile(secretKeys?.file ?? join(dataDir, 'secret-key'));
  if (secretKeys === undefined) await file.makeIfMissing();
  // An error in the file is better told now than at first use.
  await file.read();
  return file;
}
