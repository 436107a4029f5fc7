import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { signedAddress } from '../../../../../src/service/storage/s3/signed-address.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

const HOUR_SECONDS = 3600;

it.each([
  ['as long as asked, with keys that stay', undefined, 2 * HOUR_SECONDS],
  ['as long as asked, with keys that outlive it', 3 * HOUR_SECONDS, 2 * HOUR_SECONDS],
  ['as long as the keys of its role', HOUR_SECONDS, HOUR_SECONDS],
])('an address says that it is good %s', async (_, keysSeconds, seconds) => {
  const clock = new FakeClock();
  const expiration = keysSeconds === undefined ? undefined : new Date(clock.now() + keysSeconds * 1000);
  const keys = { accessKeyId: 'a', secretAccessKey: 'b', ...(expiration && { expiration }) };
  const client = new S3Client({ region: 'us-east-1', credentials: keys });
  const command = new GetObjectCommand({ Bucket: 'b', Key: 'k' });
  const signing = { client, lifetimeSeconds: 2 * HOUR_SECONDS, clock };
  const { url, expiresMs } = await signedAddress(command, signing);
  expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe(String(seconds));
  expect(expiresMs).toBe(clock.now() + seconds * 1000);
  client.destroy();
});
