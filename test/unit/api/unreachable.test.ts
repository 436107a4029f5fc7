import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { afterEach, describe, expect, it } from 'vitest';

import { type ApiClient, createApi } from '../../../src/api/create-api.ts';
import { TransportError } from '../../../src/api/errors.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { waitUntil } from '../../support/wait-until.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function listen(port: number): Promise<Server> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end('{"username":"alice"}');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

function clientOf(
  port: number,
  timeoutMs: number,
  scheme = 'http',
): { api: ApiClient; failures: () => number } {
  let failures = 0;
  const api = createApi({
    endpoint: `${scheme}://127.0.0.1:${port}/v2`,
    token: 't',
    clock: systemClock,
    limits: { timeoutMs },
    onExchange: ({ status }) => {
      failures += status === undefined ? 1 : 0;
    },
  });
  open.push(() => api.close());
  return { api, failures: () => failures };
}

describe('a server that proves not to be the service', () => {
  it('is given up at once when nobody vouches for its certificate', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'svcfs-certificate-'));
    open.push(() => rm(directory, { recursive: true }));
    const server = createTlsServer(await makeCertificate(directory));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(() => new Promise((resolve) => server.close(resolve)));
    const { api, failures } = clientOf((server.address() as AddressInfo).port, 60_000, 'https');
    await expect(api.whoAmI()).rejects.toThrow('self-signed certificate');
    expect(failures()).toBe(1);
  });

  it('is given up at once when it does not speak TLS', async () => {
    const server = await listen(0);
    open.push(() => stop(server));
    const { api, failures } = clientOf((server.address() as AddressInfo).port, 60_000, 'https');
    await expect(api.whoAmI()).rejects.toThrow('does not speak TLS');
    expect(failures()).toBe(1);
  });
});

describe('an answer without end', () => {
  it('is not taken into the memory', async () => {
    let sentBytes = 0;
    const piece = Buffer.alloc(1024 * 1024, ' ');
    const server = createServer((_, response) => {
      const endless = Readable.from(
        (function* () {
          for (;;) {
            sentBytes += piece.length;
            yield piece;
          }
        })(),
      );
      response.setHeader('content-type', 'application/json');
      endless.pipe(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(() => stop(server));
    const { api } = clientOf((server.address() as AddressInfo).port, 60_000);
    await expect(api.whoAmI()).rejects.toThrow(TransportError);
    expect(sentBytes).toBeLessThan(300 * 1024 * 1024);
  });
});

describe('a service that is away', () => {
  it('is waited for, and the call goes on when it is back', async () => {
    const first = await listen(0);
    const { port } = first.address() as AddressInfo;
    const { api, failures } = clientOf(port, 15_000);
    await api.whoAmI();
    await stop(first);

    const waiting = api.whoAmI();
    await waitUntil(() => failures() >= 2);
    const second = await listen(port);
    open.push(() => stop(second));
    expect(await waiting).toEqual({ username: 'alice' });
  });

  it('is given up after the time allowed', async () => {
    const server = await listen(0);
    const { port } = server.address() as AddressInfo;
    await stop(server);
    const { api } = clientOf(port, 300);
    await expect(api.whoAmI()).rejects.toThrow(TransportError);
  });

  it('does not keep a call from being interrupted', async () => {
    const server = await listen(0);
    const { port } = server.address() as AddressInfo;
    await stop(server);
    const { api, failures } = clientOf(port, 60_000);
    const controller = new AbortController();
    const waiting = expect(api.whoAmI({ signal: controller.signal })).rejects.toThrow('interrupted');
    await waitUntil(() => failures() >= 1);
    controller.abort(new Error('interrupted'));
    await waiting;
  });

  it('is given up at once when the client is closed', async () => {
    const server = await listen(0);
    const { port } = server.address() as AddressInfo;
    await stop(server);
    const { api, failures } = clientOf(port, 60_000);
    const waiting = expect(api.whoAmI()).rejects.toThrow('the client was closed');
    await waitUntil(() => failures() >= 1);
    await api.close();
    await waiting;
  });

  it('is given up when it takes connections and never answers', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(() => stop(server));
    const { api } = clientOf((server.address() as AddressInfo).port, 200);
    await expect(api.whoAmI()).rejects.toThrow(TransportError);
  });
});
