/** Keys that hold segments which mean something in a path: some stores take them out of an address. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { systemClock } from '../../../../../src/lib/clock.ts';
import { ContentTypes } from '../../../../../src/service/storage/buckets/content-types.ts';
import { S3Bucket } from '../../../../../src/service/storage/buckets/s3-bucket.ts';
import { S3_COPY_SIZES } from '../../../../../src/service/storage/s3/copy-object.ts';
import { S3Clients } from '../../../../../src/service/storage/s3/s3-clients.ts';
import { stubStore } from './stub-store.ts';

/** A store with these keys, each of which has an ETag of its own. @param normalises It takes `a/../b` in an address for `b`. */
async function bucketWith(keys: readonly string[], { normalises = false } = {}): Promise<S3Bucket> {
  const endpoint = await stubStore((request, response) => answer(keys, normalises, request, response));
  const keyPair = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const client = new S3Clients().get({ endpoint, region: 'us-east-1', pathStyle: true, keys: keyPair });
  return new S3Bucket({
    place: { client, bucket: 'bucket', stores: [endpoint] },
    copySizes: S3_COPY_SIZES,
    contentTypes: new ContentTypes(systemClock),
    clock: systemClock,
  });
}

function answer(
  keys: readonly string[],
  normalises: boolean,
  { url = '' }: IncomingMessage,
  response: ServerResponse,
): void {
  const query = new URL(url, 'http://store').searchParams;
  if (query.has('list-type')) {
    const found = keys.filter((key) => key.startsWith(query.get('prefix') ?? '')).sort();
    const contents = found.map(
      (key) =>
        `<Contents><Key>${encodeURIComponent(key)}</Key><ETag>"${keys.indexOf(key)}"</ETag><Size>1</Size></Contents>`,
    );
    const [first = ''] = contents;
    response.writeHead(200, { 'Content-Type': 'application/xml' });
    response.end(`<ListBucketResult><EncodingType>url</EncodingType>${first}</ListBucketResult>`);
    return;
  }
  const [path = ''] = url.split('?');
  const sent = normalises ? new URL(path, 'http://store').pathname : path;
  const at = keys.indexOf(decodeURIComponent(sent.replace('/bucket/', '')));
  if (at < 0) response.writeHead(404).end();
  else response.writeHead(200, { ETag: `"${at}"`, 'Content-Length': 1 }).end();
}

it.each(['p/../secret', 'p/./secret', 'w//x', '/lead', 'trail/'])(
  '%s is an object by its own key',
  async (key) => {
    const bucket = await bucketWith(['secret', 'p/secret', 'w/x', 'lead', 'trail', key]);
    expect(await bucket.head(key)).toMatchObject({ key, etag: '5' });
  },
);

it.each(['p/../secret', 'p/./secret'])(
  '%s is nothing where the store would take another for it',
  async (key) => {
    const bucket = await bucketWith(['secret', 'p/secret'], { normalises: true });
    expect(await bucket.head(key)).toBeUndefined();
  },
);

it.each(['p/../secret', 'p/./secret', '..'])(
  '%s has no address of the store, which its reader would change',
  async (key) => {
    expect(await (await bucketWith([key])).addressOf(key, 60)).toBeUndefined();
  },
);

it.each(['w//x', '/lead', 'trail/'])('%s has an address of the store', async (key) => {
  const address = await (await bucketWith([key])).addressOf(key, 60);
  expect(new URL(address?.url ?? '').pathname).toBe(`/bucket/${key}`);
});
