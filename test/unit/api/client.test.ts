import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, it } from 'vitest';

import { type ApiClient, type ApiOptions, createApi } from '../../../src/api/create-api.ts';
import { ApiError, TransportError } from '../../../src/api/errors.ts';
import { parseSignedUrl } from '../../../src/api/parse/upload.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { startSlowReader } from '../../support/slow-reader.ts';
import { type StubHandler, type StubServer, sendJson, startStub } from '../../support/stub-server.ts';

const file = {
  id: 'f1',
  name: 'a.bam',
  project: 'alice/trial',
  parent: 'd1',
  type: 'FILE',
  size: '12',
  created_on: '2026-11-20T09:00:00Z',
  modified_on: '2026-11-20T09:00:00.250Z',
  storage: { type: 'PLATFORM', hosted_on_locations: ['cloud:local-1'] },
  metadata: { sample: 's1', gone: null },
};

const open: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each[Symbol.asyncDispose]()));
});

async function clientOf(
  handler: StubHandler,
  options: Partial<ApiOptions> = {},
): Promise<{ api: ApiClient; stub: StubServer }> {
  const stub = await startStub(handler);
  const api = createApi({
    endpoint: `${stub.origin}/v2/`,
    token: 'secret-token',
    clock: systemClock,
    ...options,
  });
  open.push({ [Symbol.asyncDispose]: () => api.close() }, stub);
  return { api, stub };
}

describe('every call', () => {
  it('carries the token and the advance header, and JSON only with a body', async () => {
    const { api, stub } = await clientOf(() => file);
    await api.files.get('f1');
    await api.files.edit('f1', { name: 'b.bam' });
    const [get, patch] = stub.requests;
    expect(get?.headers).toMatchObject({
      'x-svc-auth-token': 'secret-token',
      'x-svc-advance-access': 'advance',
    });
    expect(get?.headers['content-type']).toBeUndefined();
    expect(patch?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(String(patch?.body))).toEqual({ name: 'b.bam' });
  });

  it('goes over the connection of the call before it', async () => {
    const ports = new Set<number | undefined>();
    const { api } = await clientOf((_, response) => {
      ports.add(response.socket?.remotePort);
      return file;
    });
    for (const id of ['f1', 'f2', 'f3']) await api.files.get(id);
    expect(ports.size).toBe(1);
  });

  it('speaks the words of the chosen dialect, and hears its own', async () => {
    const theirs = { ...file, storage: { type: 'PLATFORM', hosted_on_locations: ['aws:us-east-1'] } };
    const { api, stub } = await clientOf(() => theirs, { dialect: 'sbg' });
    expect(await api.files.get('f1')).toMatchObject({
      storage: { kind: 'platform', locations: ['cloud:us-east-1'] },
    });
    const [{ headers } = { headers: {} }] = stub.requests;
    expect(headers).toMatchObject({ 'x-sbg-auth-token': 'secret-token', 'x-sbg-advance-access': 'advance' });
    expect(headers).not.toHaveProperty('x-svc-auth-token');
    await api.files.edit('f1', { metadata: { svc_public_files_category: 'd' } });
    expect(JSON.parse(String(stub.requests[1]?.body))).toEqual({
      metadata: { sbg_public_files_category: 'd' },
    });
  });

  it('keeps the slash of an owner and encodes the rest of a path', async () => {
    const { api, stub } = await clientOf(() => ({ url: 'http://x/', size: 1 }));
    await api.volumes.downloadInfo('al ice/v?1', 'dir/ä b.txt');
    expect(stub.requests[0]?.url).toBe(
      '/v2/storage/volumes/al%20ice/v%3F1/object/download_info?location=dir%2F%C3%A4+b.txt',
    );
  });

  it('is counted by its route and reported without the token', async () => {
    const seen: unknown[] = [];
    const { api } = await clientOf((_, response) => sendJson(response, 200, file, { 'x-request-id': 'r1' }), {
      onExchange: (exchange) => seen.push(exchange),
    });
    await api.files.get('f1');
    await api.files.get('f2');
    expect(api.status().calls).toEqual({ 'GET /files/{id}': 2 });
    expect(seen[0]).toMatchObject({ call: 'GET /files/f1', status: 200, requestId: 'r1' });
    expect(JSON.stringify(seen)).not.toContain('secret-token');
  });
});

it('a body may take longer than an answer, as long as the service takes something of it', async () => {
  const service = await startSlowReader(
    async (request) => {
      for await (const _ of request) await delay(15);
    },
    (response) => sendJson(response, 200, file),
  );
  const limits = { timeoutMs: 1200, exchangeTimeoutMs: 1000 };
  const options = { endpoint: `${service.origin}/v2/`, token: 't', clock: systemClock, limits };
  const api = createApi(options);
  open.push({ [Symbol.asyncDispose]: () => api.close() }, service);
  const startMs = performance.now();
  const content = new Uint8Array(8 * 1024 * 1024);
  await api.uploads.inline({ parent: 'd1', name: 'a', overwrite: true }, content);
  expect(performance.now() - startMs).toBeGreaterThan(1500);
  expect(service.requests()).toBe(1);
});

describe('metadata and tags', () => {
  it.each([
    ['nothing', ''],
    ['a part of an answer', '{"sample":"s'],
    ['a word', '"ok"'],
  ])('are not taken to be none when the service answers %s', async (_, body) => {
    const { api } = await clientOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const foreign = { name: 'TransportError', answer: 'foreign' };
    await expect(api.files.patchMetadata('f1', { a: '1' })).rejects.toMatchObject(foreign);
    await expect(api.files.putMetadata('f1', { a: '1' })).rejects.toMatchObject(foreign);
    await expect(api.files.putTags('f1', ['a'])).rejects.toMatchObject(foreign);
  });

  it('are none when the service answers null', async () => {
    const { api } = await clientOf((_, response) => sendJson(response, 200, null));
    expect(await api.files.putMetadata('f1', {})).toEqual({});
    expect(await api.files.putTags('f1', [])).toEqual([]);
  });
});

describe('answers', () => {
  it('are parsed whatever the case, the number form and the fraction', async () => {
    const { api } = await clientOf(() => file);
    expect(await api.files.get('f1')).toEqual({
      kind: 'file',
      id: 'f1',
      name: 'a.bam',
      project: 'alice/trial',
      parent: 'd1',
      sizeBytes: 12,
      createdMs: Date.UTC(2026, 10, 20, 9),
      modifiedMs: Date.UTC(2026, 10, 20, 9, 0, 0, 250),
      storage: { kind: 'platform', locations: ['cloud:local-1'] },
      originTask: undefined,
      originDataset: undefined,
      tags: [],
      metadata: { sample: 's1' },
    });
  });

  it('tell a page and the total of the collection', async () => {
    const { api, stub } = await clientOf((_, response) =>
      sendJson(response, 200, { items: [file], links: [] }, { 'X-Total-Matching-Query': 250 }),
    );
    const page = await api.files.list('d1', { offset: 100, limit: 100 });
    expect(page.total).toBe(250);
    expect(page.items.map(({ name }) => name)).toEqual(['a.bam']);
    expect(stub.requests[0]?.url).toMatch(/^\/v2\/files\/d1\/list\?offset=100&limit=100&fields=id%2Cname/);
  });

  const nameless = [null, ''].map((name, index) => ({ ...file, id: `n${index}`, name }));

  it('give the entries of a page that can be used, and say what the others lack', async () => {
    const { api } = await clientOf((_, response) =>
      sendJson(response, 200, { items: [...nameless, file, 7] }, { 'X-Total-Matching-Query': 4 }),
    );
    const page = { offset: 0, limit: 100 };
    const reasons: string[] = [];
    const onUnusable = (reason: string): number => reasons.push(reason);
    const { items, total } = await api.files.list('d1', page, { onUnusable });
    expect(items.map(({ id }) => id)).toEqual(['f1']);
    expect(total).toBe(4);
    expect(reasons).toEqual(['the answer has no name', 'the answer has no name', 'the answer has no file']);
    // A client that moves or removes a folder must not miss one.
    await expect(api.files.list('d1', page)).rejects.toThrow(TransportError);
  });

  it('give the objects of a volume that can be used, and say what the others lack', async () => {
    const object = { location: 'in/a.txt', volume: 'alice/v1', type: 's3' };
    const { api } = await clientOf(() => ({
      items: [{ ...object, location: null }, object],
      prefixes: [{}, { prefix: 'in/sub/' }],
    }));
    const reasons: string[] = [];
    const onUnusable = (reason: string): number => reasons.push(reason);
    const { objects, prefixes } = await api.volumes.contents('alice/v1', { prefix: 'in/' }, { onUnusable });
    expect([objects.length, prefixes]).toEqual([1, ['in/sub/']]);
    expect(reasons).toHaveLength(2);
    await expect(api.volumes.contents('alice/v1', { prefix: 'in/' })).rejects.toThrow(TransportError);
  });

  it('without items are no empty folders', async () => {
    const { api } = await clientOf(() => ({ message: 'Welcome.' }));
    await expect(api.files.list('d1', { offset: 0, limit: 100 })).rejects.toThrow(TransportError);
    await expect(api.volumes.contents('alice/v1', { prefix: '' })).rejects.toThrow(TransportError);
  });

  it('find one name in a folder with one request, and tell that it is missing', async () => {
    const { api, stub } = await clientOf((request) => ({
      items: request.url.includes('name=a.bam') ? [file] : [],
      links: [],
    }));
    expect(await api.files.find({ parent: 'd1', name: 'a.bam' })).toMatchObject({ id: 'f1' });
    const target = { parent: 'd1', name: 'b.bam', overwrite: true, replaces: 'f0' };
    expect(await api.files.find(target)).toBeUndefined();
    expect(stub.requests).toHaveLength(2);
    const { searchParams } = new URL(stub.requests[1]?.url ?? '', 'http://stub');
    expect([...searchParams.keys()]).toEqual(['parent', 'name', 'fields']);
  });

  it('of a volume bear sizes as text, times as objects, and name the next page', async () => {
    const { api } = await clientOf(() => ({
      items: [
        {
          location: 'in/a.txt',
          volume: 'alice/v1',
          type: 'gcs',
          metadata: {
            size: '7',
            etag: '"abc"',
            updated: { value: 1700000000000, dateOnly: false, timeZoneShift: 0 },
          },
        },
        { location: 'in/b.txt', volume: 'alice/v1', type: 's3' },
      ],
      prefixes: [{ prefix: 'in/sub/', volume: 'alice/v1' }],
      links: { next: 'http://h/v2/storage/volumes/alice/v1/list?prefix=in/&continuation_token=aW4vYg%3D%3D' },
    }));
    const page = await api.volumes.contents('alice/v1', { prefix: 'in/' });
    expect(page.objects[0]).toMatchObject({ sizeBytes: 7, etag: 'abc', modifiedMs: 1700000000000 });
    expect(page.objects[1]).toMatchObject({ sizeBytes: undefined, metadata: {} });
    expect(page.prefixes).toEqual(['in/sub/']);
    expect(page.continuation).toBe('aW4vYg==');
  });

  const [MIB, GIB] = [1024 ** 2, 1024 ** 3];
  it.each([0, -5, 1.5, '1e30', 'large', null, 1, 5 * MIB - 1, 5 * GIB + 1])(
    'with parts of %s bytes begin no upload',
    async (size) => {
      const { api } = await clientOf(() => ({ upload_id: 'u1', part_size: size }));
      const upload = { parent: 'd1', name: 'a.bam', overwrite: true, partSizeBytes: 100 };
      await expect(api.uploads.initialise(upload)).rejects.toMatchObject({ answer: 'foreign' });
    },
  );

  it.each(['', 'x', '/blobs/1', 7, 'file:///etc/passwd', 's3://bucket/key'])(
    'with the address %s lead nowhere',
    async (url) => {
      const { api } = await clientOf(() => ({ url, method: 'PUT', size: 12 }));
      for (const asked of [
        api.files.downloadInfo('f1'),
        api.uploads.partUrl('u1', 1),
        api.volumes.downloadInfo('alice/v1', 'in/a.txt'),
      ])
        await expect(asked).rejects.toMatchObject({ answer: 'foreign' });
    },
  );

  it.each([5 * MIB, 5 * GIB])('with parts of %s bytes begin an upload', async (size) => {
    const { api } = await clientOf(() => ({ upload_id: 'u1', part_size: size }));
    const upload = { parent: 'd1', name: 'a.bam', overwrite: true, partSizeBytes: 100 };
    expect(await api.uploads.initialise(upload)).toMatchObject({ partSizeBytes: size });
  });

  it('of an https service with a link of http lead nowhere', () => {
    const parse = (url: string) => parseSignedUrl({ url }, { overTls: true });
    expect(() => parse('http://store/blobs/1')).toThrow('an http address');
    expect(parse('https://store/blobs/1')).toMatchObject({ url: 'https://store/blobs/1' });
  });

  it.each([-1, 1.5, 1e30])('with a size of %s tell none', async (size) => {
    const { api } = await clientOf(() => ({ ...file, size }));
    await expect(api.files.get('f1')).rejects.toMatchObject({ message: 'the answer has no size' });
  });

  it.each([{}, 'none', 7])('with %s for items are no empty folders', async (items) => {
    const { api } = await clientOf(() => ({ items }));
    await expect(api.files.list('d1', { offset: 0, limit: 100 })).rejects.toThrow(TransportError);
  });

  it.each(['s3://bucket/key', 'file:///etc/passwd', '/store/key'])(
    'with the link %s have none',
    async (url) => {
      const { api } = await clientOf(() => ({ url, size: 1, download_origin: url }));
      const foreign = { name: 'TransportError', answer: 'foreign' };
      await expect(api.files.downloadInfo('f1')).rejects.toMatchObject(foreign);
      await expect(api.volumes.downloadInfo('a/v', 'key')).rejects.toMatchObject(foreign);
      await expect(api.uploads.partUrl('u1', 1)).rejects.toMatchObject(foreign);
      await api.capabilities();
      expect(api.downloadOrigin()).toBeUndefined();
    },
  );

  it('that are not the JSON of this API are transport errors', async () => {
    const { api } = await clientOf((_, response) => response.end('<html>hello</html>'));
    await expect(api.files.get('f1')).rejects.toMatchObject({
      name: 'TransportError',
      answer: 'foreign',
    });
  });
});

describe('refusals', () => {
  it('name the platform code, the request and the call', async () => {
    const { api } = await clientOf((_, response) =>
      sendJson(
        response,
        404,
        { status: 404, code: 5002, message: 'No such file.' },
        { 'x-request-id': 'r9' },
      ),
    );
    const error = await api.files.get('f1').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 404, code: 5002, requestId: 'r9', call: 'GET /files/f1' });
  });

  it('with words for numbers keep the HTTP status', async () => {
    const { api } = await clientOf((_, response) =>
      sendJson(response, 404, { status: 'NOT_FOUND', code: '5002', message: 'No such file.' }),
    );
    await expect(api.files.get('f1')).rejects.toMatchObject({ status: 404, code: 5002 });
  });

  it.each([
    ['a page', '<html>Not Found</html>', /404/],
    ['a gateway with codes of its own', '{"code":404,"message":"No route."}', /404.*No route/],
    ['a gateway that has no such route', '{"status":"NOT_FOUND","message":"No route."}', /404.*No route/],
  ])('of %s are not the word of the API: what exists is not taken for missing', async (_, body, reason) => {
    const { api } = await clientOf((_request, response) => response.writeHead(404).end(body));
    const error = await api.files.get('f1').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ answer: 'foreign', message: expect.stringMatching(reason) });
    await expect(api.files.delete('f1')).rejects.toThrow(TransportError);
  });

  it.each([
    [
      'https://login.example/start?state=secret',
      /^a page of login\.example answered instead of the platform of 127\.0\.0\.1:\d+: HTTP status 307.*to https:\/\/login\.example that.*sign-in page/,
    ],
    ['/v3/files/f1?state=secret', /status 307.*to another path that/],
  ])('that redirect to %s name the status and where to, and are not followed', async (location, reason) => {
    const { api, stub } = await clientOf((_, response) => response.writeHead(307, { location }).end());
    await expect(api.files.get('f1')).rejects.toMatchObject({
      name: 'TransportError',
      answer: 'foreign',
      message: expect.stringMatching(reason),
    });
    expect(stub.requests).toHaveLength(1);
  });

  it.each([
    [
      'a portal that lets nobody through',
      200,
      '<!DOCTYPE html><title>\n Lab  WiFi\u0007 sign-in </title>',
      '"Lab WiFi',
    ],
    ['a gateway that refuses', 403, '<html>Forbidden</html>', 'with HTTP status 403: a gateway or'],
  ])('of %s are named by the host, with the title of the page', async (_, status, body, says) => {
    const { api, stub } = await clientOf((_request, response) => response.writeHead(status).end(body));
    const error = await api.files.get('f1').catch((thrown: unknown) => thrown);
    const { host } = new URL(stub.origin);
    expect(error).toMatchObject({ answer: 'foreign', message: expect.stringContaining(says) });
    expect(error).toMatchObject({
      message: expect.stringMatching(new RegExp(`^a page of ${host} answered instead of the platform`)),
    });
  });

  it('of a gateway whose server is away are told with its page', async () => {
    const page = '<html><title>502 Bad Gateway</title></html>';
    const { api } = await clientOf(
      (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end(page),
      {
        limits: { timeoutMs: 100 },
      },
    );
    await expect(api.files.get('f1')).rejects.toMatchObject({
      name: 'ApiError',
      status: 502,
      message: expect.stringMatching(/^HTTP status 502: a page of 127\.0\.0\.1:\d+ .*\("502 Bad Gateway"\)$/),
    });
  });

  it("of a gateway that checks the token count as the API's", async () => {
    const { api } = await clientOf((_, response) => response.writeHead(401).end());
    await expect(api.files.get('f1')).rejects.toMatchObject({ name: 'ApiError', status: 401 });
  });

  it('inside a bulk answer stay with their entry', async () => {
    const { api } = await clientOf(() => ({
      items: [{ resource: file }, { error: { status: 404, code: 5002, message: 'No such file.' } }],
    }));
    const [first, second] = await api.files.bulkGet(['f1', 'f2']);
    expect(first).toMatchObject({ ok: true, value: { id: 'f1' } });
    expect(second).toEqual({ ok: false, failure: { status: 404, code: 5002, message: 'No such file.' } });
  });
});
