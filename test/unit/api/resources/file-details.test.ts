/** Answers that leave the size of a file out, as of a service that does not know `fields`. */
import { afterEach, describe, expect, it } from 'vitest';

import { type ApiClient, createApi } from '../../../../src/api/create-api.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { type StubRequest, type StubServer, sendJson, startStub } from '../../../support/stub-server.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each[Symbol.asyncDispose]()));
});

type Wire = Readonly<Record<string, unknown>>;

const sparse = (id: string, more: Wire = {}): Wire => ({ id, name: `${id}.bam`, project: 'a/p', ...more });
const NO_DETAILS = { status: 404, code: 5002, message: 'No such file.' };

/** A service that knows these files by their details, and answers all other calls by `answer`. */
async function clientOf(
  details: readonly Wire[],
  answer: (request: StubRequest) => unknown,
  beforeDetails = async (): Promise<void> => {},
): Promise<{ api: ApiClient; stub: StubServer }> {
  const stub = await startStub(async (request, response) => {
    const id = request.method === 'GET' && /^\/v2\/files\/(\w+)$/.exec(request.url)?.[1];
    if (!id) return answer(request);
    await beforeDetails();
    const file = details.find((each) => each['id'] === id);
    sendJson(response, file ? 200 : 404, file ?? NO_DETAILS);
    return undefined;
  });
  const api = createApi({ endpoint: `${stub.origin}/v2`, token: 't', clock: systemClock });
  open.push({ [Symbol.asyncDispose]: () => api.close() }, stub);
  return { api, stub };
}

const listing = (...items: readonly Wire[]) => ({ items, links: [] });
const page = { offset: 0, limit: 100 };

describe('a listing without sizes', () => {
  it('has them from the details of just those files', async () => {
    const { api, stub } = await clientOf(
      [sparse('f2', { type: 'file', size: 7 }), sparse('f3', { size: 0, tags: ['new'] })],
      () =>
        listing(
          sparse('f1', { size: 5 }),
          sparse('f2', { type: 'FILE' }),
          sparse('d1', { type: 'FOLDER' }),
          sparse('f3', { size: null }),
        ),
    );
    const { items, total, leftOut } = await api.files.list('d0', page);
    expect(items).toMatchObject([
      { id: 'f1', sizeBytes: 5 },
      { id: 'f2', sizeBytes: 7 },
      { id: 'd1', kind: 'folder' },
      { id: 'f3', sizeBytes: 0, tags: ['new'] },
    ]);
    expect([total, leftOut]).toEqual([4, 0]);
    expect(stub.requests).toHaveLength(3);
  });

  it('asks for a few details at once, in whatever order they are answered', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `f${index}`);
    let [underWay, most] = [0, 0];
    const { api } = await clientOf(
      ids.map((id) => sparse(id, { size: 1 })),
      () => listing(...ids.map((id) => sparse(id))),
      async () => {
        most = Math.max(most, ++underWay);
        await new Promise(setImmediate);
        underWay -= 1;
      },
    );
    const { items } = await api.files.list('d0', page);
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('leaves out what has no size in its details either, and what is gone by then', async () => {
    const { api } = await clientOf([sparse('f1', { size: 1 }), sparse('f2', { size: null })], () =>
      listing(sparse('f1'), sparse('f2'), sparse('f3')),
    );
    const reasons: string[] = [];
    const onUnusable = (reason: string): number => reasons.push(reason);
    const { items, leftOut } = await api.files.list('d0', page, { onUnusable });
    expect(items.map(({ id }) => id)).toEqual(['f1']);
    expect(leftOut).toBe(1);
    expect(reasons).toEqual(['the answer has no size']);
    await expect(api.files.list('d0', page)).rejects.toMatchObject({
      name: 'TransportError',
      answer: 'foreign',
      message: 'the answer has no size',
    });
  });
});

describe('a name that is found without its size', () => {
  const place = { parent: 'd0', name: 'f1.bam' };

  it('is told by its details, which may be those of a folder', async () => {
    const details = [sparse('f1', { type: 'FOLDER' })];
    const { api, stub } = await clientOf(details, () => listing(sparse('f0'), sparse('f1')));
    expect(await api.files.find(place)).toMatchObject({ kind: 'folder', id: 'f1' });
    expect(stub.requests).toHaveLength(2);
  });

  it('is missing when it is gone by then', async () => {
    const { api } = await clientOf([], () => listing(sparse('f1')));
    expect(await api.files.find(place)).toBeUndefined();
  });

  it('is an error when they have no size either', async () => {
    const { api } = await clientOf([sparse('f1')], () => listing(sparse('f1')));
    await expect(api.files.find(place)).rejects.toThrow('the answer has no size');
    await expect(api.files.get('f1')).rejects.toThrow('the answer has no size');
  });
});

describe('a file that was made or changed', () => {
  const to = { parent: 'd0', name: 'f1.bam' };

  it.each<[string, (api: ApiClient) => Promise<unknown>]>([
    ['edited', (api) => api.files.edit('f0', { name: to.name })],
    ['moved', (api) => api.files.move('f0', to)],
    ['copied', (api) => api.files.copy('f0', to)],
    ['uploaded', (api) => api.uploads.complete('u1', [])],
    ['uploaded in one call', (api) => api.uploads.inline({ ...to, overwrite: false }, Buffer.alloc(9))],
  ])('is told by its details when it is %s and the answer has no size', async (_, change) => {
    const { api, stub } = await clientOf([sparse('f1', { size: 9 })], () => sparse('f1'));
    expect(await change(api)).toMatchObject({ id: 'f1', sizeBytes: 9 });
    expect(stub.requests.map(({ method }) => method === 'GET')).toEqual([false, true]);
  });

  it('is not told by a job that leaves its size out', async () => {
    const { api } = await clientOf([], ({ url }) =>
      url.includes('async')
        ? { id: 'j1', state: 'FINISHED', result: [{ resource: sparse('f1') }] }
        : { items: [{ resource: { id: 'j1', state: 'COMPLETED', result: sparse('f1') } }] },
    );
    expect(await api.asyncFiles.get('copy', 'j1')).toMatchObject({
      results: [{ ok: true, value: undefined }],
    });
    expect(await api.transfers.get('import', ['j1'])).toMatchObject([{ value: { result: undefined } }]);
  });
});
