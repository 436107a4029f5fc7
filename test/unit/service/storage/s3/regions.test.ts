import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../../src/lib/clock.ts';
import { S3Buckets } from '../../../../../src/service/storage/buckets/s3-buckets.ts';
import { stubStore } from './stub-store.ts';

const EMPTY = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';
const KEYS = { kind: 'keys', accessKey: 'key', secretKey: 'secret' } as const;

const regionOf = ({ headers, url }: IncomingMessage): string | undefined =>
  /\/\d{8}\/([^/]+)\/s3\//.exec(headers.authorization ?? decodeURIComponent(url ?? ''))?.[1];

/** A store that knows a bucket in one region only, and tells so in one way or another. */
function strictStore(region: string, told: 'header' | 'body', asked: string[]): Promise<string> {
  return stubStore((request, response) => {
    asked.push(`${request.method} ${regionOf(request)}`);
    if (told === 'header') response.setHeader('x-amz-bucket-region', region);
    if (regionOf(request) === region) return response.end(request.method === 'HEAD' ? '' : EMPTY);
    response.writeHead(400);
    const error = `<Error><Code>AuthorizationHeaderMalformed</Code><Region>${region}</Region></Error>`;
    return response.end(request.method === 'HEAD' ? '' : error);
  });
}

describe('the region of a bucket', () => {
  it.each(['header', 'body'] as const)('is asked for once, and told by %s', async (told) => {
    const asked: string[] = [];
    const endpoint = await strictStore('eu-lab-1', told, asked);
    const buckets = new S3Buckets({ allowedEndpoints: ['127.0.0.1'], clock: systemClock });
    for (const _again of [1, 2]) {
      const bucket = await buckets.open({ endpoint, bucket: 'b' }, KEYS);
      expect((await bucket.list({ prefix: '', limit: 1 })).objects).toEqual([]);
    }
    expect(asked.filter((request) => request === 'GET eu-lab-1')).toHaveLength(2);
    expect(asked.filter((request) => request === 'HEAD us-east-1')).toHaveLength(1);
    const address = await (await buckets.open({ endpoint, bucket: 'b' }, KEYS)).addressOf('k', 60);
    expect(decodeURIComponent(address?.url ?? '')).toContain('/eu-lab-1/s3/');
  });

  it('that is told by nobody gives the error of a wrong region', async () => {
    const endpoint = await stubStore((request, response) => {
      response
        .writeHead(400)
        .end(request.method === 'HEAD' ? '' : '<Error><Code>AuthorizationHeaderMalformed</Code></Error>');
    });
    const buckets = new S3Buckets({ allowedEndpoints: ['127.0.0.1'], clock: systemClock });
    const bucket = await buckets.open({ endpoint, bucket: 'b' }, KEYS);
    await expect(bucket.list({ prefix: '', limit: 1 })).rejects.toMatchObject({ kind: 'wrong-region' });
  });
});

it('what answers but is no store is told from one', async () => {
  const endpoint = await stubStore((_request, response) => response.end('<html>hello'));
  const buckets = new S3Buckets({ allowedEndpoints: ['127.0.0.1'], clock: systemClock });
  const bucket = await buckets.open({ endpoint, bucket: 'b' }, KEYS);
  await expect(bucket.list({ prefix: '', limit: 1 })).rejects.toMatchObject({ kind: 'bad-endpoint' });
});
