/** Calls on tasks whose answers get lost, and amounts as the platform writes them. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiClient, createApi } from '../../../../src/api/create-api.ts';
import { TransportError } from '../../../../src/api/errors.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { type StubHandler, type StubServer, startStub } from '../../../support/stub-server.ts';

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

const cut = (response: ServerResponse): void => void response.socket?.resetAndDestroy();
const task = (id: string, more: object = {}) => ({
  id,
  name: 'N',
  status: 'DRAFT',
  project: 'a/p',
  app: 'a/p/wc/3',
  inputs: { text: { class: 'File', path: 'f1', name: 'in.txt' }, limit: null, tags: ['x'] },
  ...more,
});
const NEW = {
  project: 'a/p',
  app: 'a/p/wc',
  name: 'N',
  inputs: { text: { class: 'File', path: 'f1' }, tags: ['x'] },
};

/** Loses the answers of the first POST, and lists these tasks. */
function losingFirst(listed: readonly object[]): StubHandler {
  let posts = 0;
  return ({ method }, response) => {
    if (method === 'GET') return { items: listed, links: [] };
    posts += 1;
    return posts === 1 ? cut(response) : task('second');
  };
}

const methods = (stub: StubServer): string => stub.requests.map(({ method }) => method).join(' ');

describe('a draft whose making was not answered', () => {
  it('is found by name, app and inputs, and not made twice', async () => {
    const others = [
      task('other-name', { name: 'M' }),
      task('other-app', { app: 'a/p/wc2/0' }),
      task('other-inputs', { inputs: { text: { class: 'File', path: 'f2' }, tags: ['x'] } }),
      task('more-tags', { inputs: { ...task('').inputs, tags: ['x', 'y'] } }),
    ];
    const { api, stub } = await clientOf(losingFirst([...others, task('first')]));
    expect(await api.tasks.create(NEW)).toMatchObject({ id: 'first' });
    expect(methods(stub)).toBe('POST GET');
    const asked = new URL(stub.requests[1]?.url ?? '', 'http://service').searchParams;
    expect([asked.get('project'), asked.get('status')]).toEqual(['a/p', 'DRAFT']);
    expect(Date.now() - Date.parse(asked.get('created_from') ?? '')).toBeLessThan(10_000);
  });

  it('is made when the call never arrived', async () => {
    const { api, stub } = await clientOf(losingFirst([]));
    expect(await api.tasks.create(NEW)).toMatchObject({ id: 'second' });
    expect(methods(stub)).toBe('POST GET POST');
  });

  it('is no draft that this client made before', async () => {
    let posts = 0;
    const { api } = await clientOf(({ method }, response) => {
      if (method === 'GET') return { items: [task('mine'), task('lost')], links: [] };
      posts += 1;
      return posts === 2 ? cut(response) : task('mine');
    });
    expect(await api.tasks.create(NEW)).toMatchObject({ id: 'mine' });
    expect(await api.tasks.create(NEW)).toMatchObject({ id: 'lost' });
  });

  it('is not guessed among several', async () => {
    const { api } = await clientOf(losingFirst([task('one'), task('two')]));
    await expect(api.tasks.create(NEW)).rejects.toThrow(TransportError);
    await expect(
      clientOf(losingFirst([task('one'), task('two')])).then(({ api: other }) => other.tasks.create(NEW)),
    ).rejects.toThrow(/2 drafts like it were made/);
  });
});

describe('an action whose answer was lost', () => {
  it.each([
    ['run', 'RUNNING'],
    ['abort', 'ABORTING'],
  ] as const)('%s is not repeated when the task is %s', async (action, status) => {
    const { api, stub } = await clientOf(({ method }, response) =>
      method === 'GET' ? task('t', { status }) : cut(response),
    );
    expect(await api.tasks[action]('t')).toMatchObject({ status });
    expect(methods(stub)).toBe('POST GET');
  });

  it('is repeated when nothing has happened', async () => {
    const { api, stub } = await clientOf(losingAction());
    expect(await api.tasks.run('t')).toMatchObject({ status: 'RUNNING' });
    expect(methods(stub)).toBe('POST GET POST');
  });
});

function losingAction(): StubHandler {
  let posts = 0;
  return ({ method }, response) => {
    if (method === 'GET') return task('t');
    posts += 1;
    return posts === 1 ? cut(response) : task('t', { status: 'RUNNING' });
  };
}

it.each(['0.10', '"0.10"', '12345678901234567.89', '1E-7'])(
  'a price of %s keeps its digits',
  async (amount) => {
    const { api } = await clientOf((_, response) => {
      const text = JSON.stringify(task('t', { price: { currency: 'USD', amount: 'AMOUNT' } }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(text.replace('"AMOUNT"', amount));
    });
    expect((await api.tasks.get('t')).price).toEqual({ currency: 'USD', amount: amount.replaceAll('"', '') });
  },
);
