/** Calls that take effect once, whose answer the network ate. */
import type { ServerResponse } from 'node:http';

import { afterEach, describe, expect, it } from 'vitest';

import { type ApiClient, createApi } from '../../../src/api/create-api.ts';
import { TransportError } from '../../../src/api/errors.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import {
  type StubHandler,
  type StubRequest,
  type StubServer,
  sendJson,
  startStub,
} from '../../support/stub-server.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each[Symbol.asyncDispose]()));
});

async function clientOf(handler: StubHandler): Promise<{ api: ApiClient; stub: StubServer }> {
  const stub = await startStub(handler);
  const clock = { ...systemClock, sleep: async () => {} };
  const api = createApi({ endpoint: `${stub.origin}/v2`, token: 't', clock });
  open.push({ [Symbol.asyncDispose]: () => api.close() }, stub);
  return { api, stub };
}

const posts = (stub: StubServer): number => stub.requests.filter(({ method }) => method === 'POST').length;
const cut = (response: ServerResponse): void => void response.socket?.resetAndDestroy();
const now = (): string => new Date().toISOString();
const EARLIER = '2020-01-01T00:00:00Z';
const folder = (createdOn: string) => ({
  id: 'd1',
  name: 'raw',
  project: 'a/p',
  parent: 'root',
  type: 'FOLDER',
  created_on: createdOn,
});
const file = (createdOn: string, id = 'f1') => ({
  ...folder(createdOn),
  id,
  type: 'file',
  name: 'a',
  size: 1,
});

/** Carries out the first POST, loses its answer, and answers everything else by `handler`. */
function losingFirstPost(handler: (request: StubRequest, posts: number) => unknown): StubHandler {
  let count = 0;
  return (request, response) => {
    count += request.method === 'POST' ? 1 : 0;
    if (request.method === 'POST' && count === 1) {
      return cut(response);
    }
    return handler(request, count);
  };
}

/** Loses the answer of every POST, and lists these jobs. */
function losingPosts(jobs: readonly object[]): StubHandler {
  return ({ method, url }, response) => {
    if (method === 'POST') return cut(response);
    const { searchParams } = new URL(url, 'http://service');
    const offset = Number(searchParams.get('offset'));
    const items = jobs.slice(offset, offset + Number(searchParams.get('limit')));
    return sendJson(response, 200, { items, links: [] }, { 'X-Total-Matching-Query': jobs.length });
  };
}

describe('an answer that is of no use', () => {
  it.each([
    ['a failure of the server', 500, 'failed'],
    ['one without the file', 200, 'foreign'],
  ])('is told from none: %s', async (_, status, answer) => {
    const { api } = await clientOf(({ method }, response) => {
      if (method === 'GET') return { items: [], links: [] };
      sendJson(response, status, {});
      return undefined;
    });
    const target = { parent: 'root', name: 'a', overwrite: false };
    const failing = api.uploads.inline(target, new Uint8Array(1));
    await expect(failing).rejects.toMatchObject({ name: 'TransportError', answer });
  });
});

describe('a folder whose creation was not answered', () => {
  it('is found, and not made twice', async () => {
    const { api, stub } = await clientOf(losingFirstPost(() => ({ items: [folder(now())], links: [] })));
    expect(await api.files.createFolder({ parent: 'root', name: 'raw' })).toMatchObject({ id: 'd1' });
    expect(posts(stub)).toBe(1);
  });

  it('is found when a gateway lost the service over it', async () => {
    const gateway = { status: 503, body: 'upstream connect error or disconnect/reset before headers' };
    const taken = { status: 409, body: JSON.stringify({ status: 409, code: 5030, message: 'Taken.' }) };
    const answers = [gateway, taken];
    const { api } = await clientOf(({ method }, response) => {
      if (method === 'GET') return { items: [folder(now())], links: [] };
      const { status, body } = answers.shift() ?? taken;
      return void response.writeHead(status).end(body);
    });
    expect(await api.files.createFolder({ parent: 'root', name: 'raw' })).toMatchObject({ id: 'd1' });
  });

  it('is made when the call never arrived', async () => {
    const { api, stub } = await clientOf(
      losingFirstPost(({ method }) => (method === 'GET' ? { items: [], links: [] } : folder(now()))),
    );
    expect(await api.files.createFolder({ parent: 'root', name: 'raw' })).toMatchObject({ id: 'd1' });
    expect(posts(stub)).toBe(2);
  });

  it('is not taken for an older one of that name', async () => {
    let count = 0;
    const { api } = await clientOf(({ method }, response) => {
      if (method === 'GET') return { items: [folder('2020-01-01T00:00:00Z')], links: [] };
      count += 1;
      return count === 1
        ? cut(response)
        : sendJson(response, 409, { status: 409, code: 5030, message: 'Taken.' });
    });
    await expect(api.files.createFolder({ parent: 'root', name: 'raw' })).rejects.toMatchObject({
      code: 5030,
    });
  });
});

describe('a deletion that was not answered', () => {
  it('is done when the file is missing', async () => {
    const { api, stub } = await clientOf(({ method }, response) =>
      method === 'DELETE'
        ? cut(response)
        : sendJson(response, 404, { status: 404, code: 5002, message: 'No such file.' }),
    );
    await api.files.delete('f1');
    expect(stub.requests.map(({ method }) => method)).toEqual(['DELETE', 'GET']);
  });
});

describe('a completion that was not answered', () => {
  const init = { upload_id: 'u1', part_size: 5 * 1024 * 1024, parallel_uploads: true };

  it('is done when the upload is no more: the file has its name', async () => {
    const { api, stub } = await clientOf(({ method, url }, response) => {
      if (url.includes('/complete')) return cut(response);
      if (method === 'POST') return init;
      if (url.includes('/upload/'))
        return sendJson(response, 404, { status: 404, code: 8003, message: 'Gone.' });
      return { items: [file(now())], links: [] };
    });
    const { uploadId } = await api.uploads.initialise({ parent: 'root', name: 'a', overwrite: true });
    expect(await api.uploads.complete(uploadId, [])).toMatchObject({ id: 'f1' });
    expect(posts(stub)).toBe(2);
  });

  it.each([
    ['of another size', { ...file(now()), size: 2 }],
    ['that is older', file('2020-01-01T00:00:00Z')],
  ])('is not taken for a file %s', async (_, other) => {
    const gone = { status: 404, code: 8003, message: 'Gone.' };
    let isFirst = true;
    const { api } = await clientOf(({ method, url }, response) => {
      if (url.includes('/complete') && isFirst) {
        isFirst = false;
        return cut(response);
      }
      if (url.includes('/upload/multipart/')) return sendJson(response, 404, gone);
      return method === 'POST' ? init : { items: [other], links: [] };
    });
    const target = { parent: 'root', name: 'a', overwrite: true, sizeBytes: 1 };
    const { uploadId } = await api.uploads.initialise(target);
    await expect(api.uploads.complete(uploadId, [])).rejects.toMatchObject({ code: 8003 });
  });

  it('is made again when the upload still waits for it', async () => {
    let completions = 0;
    const { api } = await clientOf(({ method, url }, response) => {
      if (url.includes('/complete')) {
        completions += 1;
        return completions === 1 ? cut(response) : file(now());
      }
      return method === 'POST' ? init : { ...init, name: 'a', parent: 'root' };
    });
    const { uploadId } = await api.uploads.initialise({ parent: 'root', name: 'a', overwrite: true });
    expect(await api.uploads.complete(uploadId, [])).toMatchObject({ id: 'f1' });
    expect(completions).toBe(2);
  });
});

describe('an upload in one call that was not answered', () => {
  const content = new Uint8Array(1);

  it.each([
    ['is found', true, 1],
    ['is sent again when the file that has its name is of other bytes', false, 2],
  ])('%s', async (_, isOurs, calls) => {
    const { api, stub } = await clientOf(
      losingFirstPost(({ method }) =>
        method === 'GET' ? { items: [file(now())], links: [] } : file(now(), 'f2'),
      ),
    );
    const target = { parent: 'root', name: 'a', overwrite: false, isSame: async () => isOurs };
    expect(await api.uploads.inline(target, content)).toMatchObject({ id: isOurs ? 'f1' : 'f2' });
    expect(posts(stub)).toBe(calls);
  });
});

describe('a bulk start of exports that was not answered', () => {
  const wish = (name: string) => ({ file: name, volume: 'a/v', location: `out/${name}`, overwrite: false });
  const job = (name: string, startedOn?: string) => ({
    id: `job-${name}`,
    state: 'PENDING',
    source: { file: name },
    destination: { volume: 'a/v', location: `out/${name}` },
    ...(startedOn && { started_on: startedOn }),
  });

  it('takes the jobs that began, and starts only the others', async () => {
    const { api, stub } = await clientOf(
      losingFirstPost(({ method }) =>
        method === 'GET'
          ? { items: [job('f1'), job('f2', '2020-01-01T00:00:00Z')], links: [] }
          : { items: [{ resource: job('f2', now()) }] },
      ),
    );
    const results = await api.transfers.startExports([wish('f1'), wish('f2')], false);
    expect(results.map((each) => each.ok && each.value.id)).toEqual(['job-f1', 'job-f2']);
    const last = stub.requests.at(-1);
    expect(JSON.parse(String(last?.body)).items).toHaveLength(1);
  });

  it('finds its jobs behind more than a page of others that began since', async () => {
    const others = Array.from({ length: 250 }, (_, index) => job(`other-${index}`, now()));
    const jobs = [...others, job('f1', now()), ...others.map((each) => ({ ...each, started_on: EARLIER }))];
    const { api, stub } = await clientOf(losingPosts(jobs));
    const results = await api.transfers.startExports([wish('f1')], false);
    expect(results).toMatchObject([{ value: { id: 'job-f1' } }]);
    expect(posts(stub)).toBe(1);
  });

  it('does not take a job that replaces otherwise', async () => {
    const { api } = await clientOf(
      losingFirstPost(({ method }) =>
        method === 'GET'
          ? { items: [{ ...job('f1'), overwrite: true }], links: [] }
          : { items: [{ resource: { ...job('f1'), id: 'ours' } }] },
      ),
    );
    const results = await api.transfers.startExports([wish('f1')], false);
    expect(results).toMatchObject([{ value: { id: 'ours' } }]);
  });

  it('does not take the copy that was asked for just before, and answered', async () => {
    const { api } = await clientOf(({ method, url }, response) => {
      const isCopy = url.includes('copy_only');
      if (method === 'GET') return { items: [job('f1', now())], links: [] };
      if (isCopy) return { items: [{ resource: job('f1', now()) }] };
      moves += 1;
      return moves === 1 ? cut(response) : { items: [{ resource: { ...job('f1'), id: 'move' } }] };
    });
    let moves = 0;
    await api.transfers.startExports([wish('f1')], true);
    const results = await api.transfers.startExports([wish('f1')], false);
    expect(results).toMatchObject([{ value: { id: 'move' } }]);
  });
});

describe('an asynchronous job whose start was not answered', () => {
  const job = (id: string) => ({ id, type: 'MOVE', state: 'RUNNING', started_on: now(), result: [] });

  it('is taken to be the one that began meanwhile, as a guess', async () => {
    const { api, stub } = await clientOf(losingFirstPost(() => ({ items: [job('j1')], links: [] })));
    expect(await api.asyncFiles.start('move', [{ file: 'f1', parent: 'd1' }])).toMatchObject({
      id: 'j1',
      isGuess: true,
    });
    expect(posts(stub)).toBe(1);
  });

  it('is not guessed when two began', async () => {
    const { api } = await clientOf(losingFirstPost(() => ({ items: [job('j1'), job('j2')], links: [] })));
    await expect(api.asyncFiles.start('move', [{ file: 'f1' }])).rejects.toThrow(TransportError);
  });

  const others = (count: number, startedOn: string) =>
    Array.from({ length: count }, (_, index) => ({
      ...job(`${startedOn}-${index}`),
      type: 'COPY',
      started_on: startedOn,
    }));

  it.each([
    ['newest first', () => [...others(150, now()), job('ours'), ...others(500, EARLIER)]],
    ['oldest first', () => [...others(500, EARLIER), job('ours'), ...others(150, now())]],
  ])('is found behind more than a page of others, %s', async (_, jobs) => {
    const { api, stub } = await clientOf(losingPosts(jobs()));
    const started = await api.asyncFiles.start('move', [{ file: 'f1' }]);
    expect(started).toMatchObject({ id: 'ours', isGuess: true });
    expect(posts(stub)).toBe(1);
    // Two pages from the end where the newest are, one from the other.
    expect(stub.requests).toHaveLength(1 + 3);
  });

  it('is not looked for beyond the jobs that began before', async () => {
    const jobs = [job('ours'), ...others(99, EARLIER)];
    const { api, stub } = await clientOf(losingPosts(jobs));
    expect(await api.asyncFiles.start('move', [{ file: 'f1' }])).toMatchObject({ id: 'ours' });
    expect(stub.requests).toHaveLength(2);
  });
});
