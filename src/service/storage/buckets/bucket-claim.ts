import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../../lib/sync.ts';
import { BucketError } from '../objects/bucket-error.ts';
import { makeDirectory } from '../objects/durable-file.ts';
import type { BucketCredentials } from './bucket-credentials.ts';
import { NOTES_DIRECTORY } from './key-path.ts';

interface Claim {
  readonly accessKey: string;
  /** SHA-256 of both keys, in hexadecimal. */
  readonly hash: string;
}

/**
 * Binds a directory of the service's own to the credentials it is first used with. A user who cannot show the same ones
 * later does not get at the objects: the name of a bucket is no secret.
 *
 * A directory that the service may not write to was laid there for everyone, and is not bound.
 *
 * @throws BucketError `unknown-key`, `wrong-secret`
 */
export async function claimBucket(root: string, credentials: BucketCredentials): Promise<void> {
  const claim = claimOf(credentials);
  const there = await writeClaim(join(root, NOTES_DIRECTORY, 'claim.json'), claim);
  if (there.accessKey !== claim.accessKey) {
    throw new BucketError('unknown-key', 'the bucket does not know that access key');
  }
  if (!timingSafeEqual(Buffer.from(there.hash), Buffer.from(claim.hash))) {
    throw new BucketError('wrong-secret', 'the secret key is not the one of that access key');
  }
}

/** Writes the claim unless there is one, and answers the one that is there. */
async function writeClaim(path: string, claim: Claim): Promise<Claim> {
  const temporary = `${path}-${randomUUID()}`;
  try {
    await makeDirectory(dirname(path));
    await writeFile(temporary, JSON.stringify(claim), { flush: true, mode: 0o600 });
    await link(temporary, path);
    await syncDirectory(dirname(path));
    return claim;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EROFS') return claim;
    if (code !== 'EEXIST') throw error;
    return JSON.parse(await readFile(path, 'utf8')) as Claim;
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

function claimOf(credentials: BucketCredentials): Claim {
  const [accessKey, secretKey] =
    credentials.kind === 'keys'
      ? [credentials.accessKey, credentials.secretKey]
      : [credentials.roleArn, credentials.externalId ?? ''];
  const hash = createHash('sha256')
    .update(JSON.stringify([accessKey, secretKey]))
    .digest('hex');
  return { accessKey, hash };
}
