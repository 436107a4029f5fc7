import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OWN_HEADER } from '../../../../src/cli/dashboard/http/guards.ts';
import { openDashboard, TOKEN } from './open-dashboard.ts';

const PATH = `/${TOKEN}/`;

describe('who may see the page', () => {
  it('is who has the address, by both names of this machine', async () => {
    const { ask, port } = await openDashboard();
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`]) {
      expect(await ask(PATH, { headers: { host } })).toMatchObject({ status: 200, body: '<p>the page</p>' });
    }
  });

  it('is no page whose name was made to mean this machine', async () => {
    const { ask, port } = await openDashboard();
    const names = [
      `evil.example:${port}`,
      'evil.example',
      '127.0.0.1',
      'localhost',
      `[::1]:${port}`,
      `127.0.0.1.nip.io:${port}`,
    ];
    for (const host of names) {
      const { status, body } = await ask(PATH, { headers: { host } });
      expect([host, status]).toEqual([host, 403]);
      expect(body).toContain(`ssh -L ${port}:127.0.0.1:${port}`);
      expect(body).not.toContain(TOKEN);
    }
  });

  it('is no page of another site, nor of another port of this machine', async () => {
    const { ask } = await openDashboard();
    for (const site of ['cross-site', 'same-site'])
      expect((await ask(PATH, { headers: { 'sec-fetch-site': site } })).status).toBe(403);
    for (const site of ['same-origin', 'none'])
      expect((await ask(PATH, { headers: { 'sec-fetch-site': site } })).status).toBe(200);
  });

  it('is nobody without the whole token', async () => {
    const { ask } = await openDashboard();
    const wrong = [
      '/',
      '/favicon.ico',
      `/${TOKEN}`,
      `/${TOKEN.slice(1)}/`,
      `/${TOKEN}A/`,
      `/${TOKEN.toLowerCase()}/`,
      '//',
      `/..${PATH}`,
    ];
    for (const path of wrong) {
      const { status, body } = await ask(path);
      expect([path, status]).toEqual([path, 404]);
      expect(body).not.toContain(TOKEN);
    }
  });

  it('leads to no other file of this machine', async () => {
    const { ask } = await openDashboard();
    for (const path of ['../package.json', '..%2fpackage.json', 'index.html', 'events/x', '__proto__'])
      expect((await ask(`${PATH}${path}`)).status).toBe(404);
  });
});

it('holds the page to itself: nothing from elsewhere, in no other page, kept by nobody', async () => {
  const { ask } = await openDashboard();
  for (const path of [PATH, '/wrong']) {
    const { headers } = await ask(path);
    const policy = headers['content-security-policy'];
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  }
});

it('takes a POST from its own page only', async () => {
  const { ask, port } = await openDashboard();
  const own = {
    host: `127.0.0.1:${port}`,
    origin: `http://127.0.0.1:${port}`,
    'content-type': 'application/json',
    [OWN_HEADER]: '1',
  };
  const post = (headers: Readonly<Record<string, string | undefined>>) =>
    ask(`${PATH}no-such-action`, { method: 'POST', headers: present({ ...own, ...headers }) }, '{}');
  expect((await post({})).status).toBe(404);
  expect((await post({ origin: 'http://evil.example' })).status).toBe(403);
  expect((await post({ origin: `http://127.0.0.1:${port + 1}` })).status).toBe(403);
  expect((await post({ origin: 'null' })).status).toBe(403);
  expect((await post({ 'content-type': 'text/plain' })).status).toBe(415);
  expect((await post({ [OWN_HEADER]: undefined })).status).toBe(403);
  expect((await post({ origin: undefined })).status).toBe(403);
  for (const method of ['PUT', 'DELETE', 'OPTIONS'])
    expect((await ask(PATH, { method, headers: own })).status).toBe(405);
});

it('opens the page once by a code, which is worth nothing afterwards', async () => {
  const { ask, code } = await openDashboard();
  const path = code.issue();
  expect((await ask(path, { headers: { host: 'evil.example' } })).status).toBe(403);
  expect(await ask(path)).toMatchObject({ status: 303, headers: { location: PATH } });
  expect((await ask(path)).status).toBe(404);
});

it('names a port that is taken, and what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  await expect(openDashboard({ port })).rejects.toThrow(
    `port ${port} of 127.0.0.1 is taken: name another (--port N), or none, and a free one is found`,
  );
});

function present(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}
