import { open } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../../../../src/lib/clock.ts';
import { ContentTypes } from '../../../../../src/service/storage/buckets/content-types.ts';
import { S3Bucket } from '../../../../../src/service/storage/buckets/s3-bucket.ts';
import { S3_COPY_SIZES } from '../../../../../src/service/storage/s3/copy-object.ts';
import { S3Clients } from '../../../../../src/service/storage/s3/s3-clients.ts';
import { stubStore } from './stub-store.ts';

it('refuses a file that is not there, and asks the store for nothing', async () => {
  const asked: unknown[] = [];
  const endpoint = await stubStore((request, response) => {
    asked.push(request.url);
    response.writeHead(500).end();
  });
  const keys = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const client = new S3Clients().get({ endpoint, region: 'us-east-1', pathStyle: true, keys });
  const bucket = new S3Bucket({
    place: { client, bucket: 'bucket', stores: [endpoint] },
    copySizes: S3_COPY_SIZES,
    contentTypes: new ContentTypes(systemClock),
    clock: systemClock,
  });
  const path = '/does/not/exist';
  const source = { kind: 'file', path, givenAway: false } as const;
  await expect(bucket.put('key', source, { overwrite: true })).rejects.toThrow('ENOENT');
  // A stream that was made all the same fails no later than this, unheard.
  await expect(open(path)).rejects.toThrow('ENOENT');
  await turn();
  expect(asked).toEqual([]);
});
