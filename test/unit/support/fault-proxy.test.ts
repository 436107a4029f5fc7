import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FaultProxy } from '../../support/fault-proxy.ts';

/** A service that counts and answers ten bytes. */
async function behindProxy(): Promise<{ proxy: FaultProxy; served: () => number }> {
  let served = 0;
  const server = createServer((request, response) => {
    served += 1;
    request.resume();
    response.setHeader('X-Host', request.headers.host ?? '');
    response.end('0123456789');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await FaultProxy.start(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    await proxy.close();
    server.closeAllConnections();
    server.close();
  });
  return { proxy, served: () => served };
}

const get = async (proxy: FaultProxy, path = '/'): Promise<string> =>
  (await fetch(proxy.origin + path)).text();

describe('the fault proxy', () => {
  test('passes exchanges on, with the host the client asked for', async () => {
    const { proxy } = await behindProxy();
    const answer = await fetch(`${proxy.origin}/a?b=1`, { method: 'POST', body: 'x' });
    expect(await answer.text()).toBe('0123456789');
    expect(`http://${answer.headers.get('x-host')}`).toBe(proxy.origin);
    expect(proxy.requests).toMatchObject([{ method: 'POST', path: '/a?b=1' }]);
  });

  test('cuts an answer short, by reset or by a proper end', async () => {
    const { proxy } = await behindProxy();
    for (const kind of ['reset', 'truncate'] as const) {
      const undo = proxy.inject({ kind, afterBytes: 4 });
      await expect(get(proxy)).rejects.toThrow();
      undo();
      expect(await get(proxy)).toBe('0123456789');
    }
  });

  test('stalls after some bytes until the client gives up', async () => {
    const { proxy } = await behindProxy();
    proxy.inject({ kind: 'stall', afterBytes: 4 });
    const answer = await fetch(proxy.origin, { signal: AbortSignal.timeout(200) });
    await expect(answer.text()).rejects.toThrow(/timeout/i);
  });

  test('tells a request that never arrived from an answer that was lost', async () => {
    const { proxy, served } = await behindProxy();
    proxy.inject({ kind: 'drop' }, { times: 1 });
    await expect(get(proxy)).rejects.toThrow();
    expect(served()).toBe(0);
    proxy.inject({ kind: 'lose-answer' }, { times: 1 });
    await expect(get(proxy)).rejects.toThrow();
    expect(served()).toBe(1);
  });

  test('hits only what matches, as often as told', async () => {
    const { proxy } = await behindProxy();
    proxy.inject({ kind: 'answer', status: 503 }, { when: ({ path }) => path === '/sick', times: 2 });
    const statuses = [];
    for (const path of ['/well', '/sick', '/sick', '/sick']) {
      statuses.push((await fetch(proxy.origin + path)).status);
    }
    expect(statuses).toEqual([200, 503, 503, 200]);
  });

  test('goes down and comes up again on its port', async () => {
    const { proxy } = await behindProxy();
    const { origin } = proxy;
    await proxy.down();
    await expect(get(proxy)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await proxy.up();
    expect(proxy.origin).toBe(origin);
    expect(await get(proxy)).toBe('0123456789');
  });
});
