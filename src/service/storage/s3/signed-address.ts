import { GetObjectCommand, type S3Client, type UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Clock } from '../../../lib/clock.ts';
import type { SignedAddress } from '../objects/byte-source.ts';

/** S3 signs for no longer. */
const LIFETIME_MAX_SECONDS = 7 * 24 * 3600;

export interface Signing {
  readonly client: S3Client;
  readonly lifetimeSeconds: number;
  readonly clock: Clock;
}

/** Addresses of the store itself that allow one request, by anyone, until they expire. */
export async function signedAddress(
  command: GetObjectCommand | UploadPartCommand,
  { client, lifetimeSeconds, clock }: Signing,
): Promise<SignedAddress> {
  const now = clock.now();
  // The keys of a role end by themselves, and addresses signed with them, whatever those say.
  const { expiration } = await client.config.credentials();
  const keysEndMs = expiration?.getTime() ?? Number.POSITIVE_INFINITY;
  const keysLeftSeconds = Math.max(1, Math.floor((keysEndMs - now) / 1000));
  const expiresIn = Math.min(lifetimeSeconds, LIFETIME_MAX_SECONDS, keysLeftSeconds);
  const options = { expiresIn, signingDate: new Date(now) };
  // The two kinds are of different types to the signer, which treats them alike.
  const url = await (command instanceof GetObjectCommand
    ? getSignedUrl(client, command, options)
    : getSignedUrl(client, command, options));
  return { url, expiresMs: Math.min(now + expiresIn * 1000, keysEndMs) };
}
