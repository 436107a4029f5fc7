import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { readObject } from '../../../../../src/service/storage/s3/read-object.ts';
import { S3Clients } from '../../../../../src/service/storage/s3/s3-clients.ts';
import { stubStore } from './stub-store.ts';

const content = randomBytes(1_000_000);

async function read(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  range?: { readonly first: number; readonly last: number },
): Promise<Buffer> {
  const endpoint = await stubStore(answer);
  const keys = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const client = new S3Clients().get({ endpoint, region: 'us-east-1', pathStyle: true, keys });
  const place = { client, bucket: 'bucket', stores: [endpoint] };
  return buffer(readObject({ place, key: 'key', sizeBytes: content.length, etag: 'e' }, range));
}

/** Sends the range asked for, but breaks off after so many bytes. */
function sendUpTo(bytes: number) {
  return ({ headers }: IncomingMessage, response: ServerResponse): void => {
    const [, first = 0, last = 0] = (/bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? []).map(Number);
    const part = content.subarray(first, last + 1);
    response.writeHead(206, { 'Content-Length': part.length });
    if (part.length <= bytes) response.end(part);
    else response.write(part.subarray(0, bytes), () => response.destroy());
  };
}

it('goes on where a connection broke, as long as each brings something', async () => {
  expect((await read(sendUpTo(300_000))).equals(content)).toBe(true);
  const range = { first: 10, last: 700_000 };
  expect((await read(sendUpTo(300_000), range)).equals(content.subarray(10, 700_001))).toBe(true);
});

it('gives up when connections break without a byte', async () => {
  await expect(read(sendUpTo(0))).rejects.toMatchObject({ kind: 'unreachable' });
});

it('never mixes two contents: it asks for one version, and fails when that is gone', async () => {
  let asked: string | undefined;
  const replaced = read((request, response) => {
    asked = request.headers['if-match'];
    response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
  });
  await expect(replaced).rejects.toMatchObject({ kind: 'refused' });
  expect(asked).toBe('"e"');
});
