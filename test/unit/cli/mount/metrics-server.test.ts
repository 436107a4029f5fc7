import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type MetricsServer, serveMetrics } from '../../../../src/cli/mount/metrics-server.ts';
import { parseOwnAddress } from '../../../../src/config/option-text.ts';

async function serve(address: string, metrics: () => string | undefined): Promise<MetricsServer> {
  const server = await serveMetrics(parseOwnAddress(address), metrics);
  onTestFinished(() => server.close());
  return server;
}

async function ask(url: string | URL, method = 'GET'): Promise<readonly [status: number, text: string]> {
  const response = await fetch(url, { method });
  return [response.status, await response.text()];
}

it.each(['0', ':0', '127.0.0.1:0', 'localhost:0', '[::1]:0'])('metrics are read at %s', async (address) => {
  const { url } = await serve(address, () => 'a_total 1\n');
  expect(url).toMatch(/^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+\/metrics$/);
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await response.text()).toBe('a_total 1\n');
});

it('nothing but the metrics and a word about them is there, and nothing but GET', async () => {
  const { url } = await serve('0', () => 'a_total 1\n');
  expect(await ask(new URL('/', url))).toEqual([200, 'a mount of svcfs; its metrics are at /metrics\n']);
  expect(await ask(`${url}?x=1`)).toEqual([200, 'a_total 1\n']);
  expect(await ask(url, 'HEAD')).toEqual([200, '']);
  expect(await ask(new URL('/stats', url))).toEqual([404, 'nothing is here; the metrics are at /metrics\n']);
  expect(await ask(url, 'POST')).toEqual([405, 'only GET\n']);
});

it('there are no metrics before the mount is there', async () => {
  let text: string | undefined;
  const { url } = await serve('0', () => text);
  expect(await ask(url)).toEqual([503, 'not mounted yet\n']);
  text = 'a_total 1\n';
  expect(await ask(url)).toEqual([200, text]);
});

it('an address that cannot be listened on is told, and what to give', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  await expect(serve(String(port), () => '')).rejects.toThrow(
    `--metrics: 127.0.0.1:${port} is in use; give another port, or port 0 for any free one`,
  );
  await expect(serve('192.0.2.1:0', () => '')).rejects.toThrow('192.0.2.1 is no address of this machine');
});

it.each(['', 'x', '70000', '127.0.0.1', '::1:0', 'http://127.0.0.1:9100'])('%j is no address', (text) => {
  expect(() => parseOwnAddress(text)).toThrow('Expected HOST:PORT');
});
