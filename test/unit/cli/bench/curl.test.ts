/** Curl, which is a program of the machine, against a server that answers it. */

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { curlDownload, curlRanges } from '../../../../src/cli/bench/curl.ts';

const NEVER = new AbortController().signal;
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  open.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  // As signed links have them: what curl or its configuration might take for something else.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/a%22b?sig=x%5C[1-3]{a,b}&y="z"`;
}

it('curl downloads what a link leads to, and tells how fast', async () => {
  const asked: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    asked.push(request.url);
    response.end(Buffer.alloc(300_000));
  });
  const { bytes, bytesPerSecond, firstByteMs } = await curlDownload(url, 10, NEVER);
  expect(bytes).toBe(300_000);
  expect(bytesPerSecond).toBeGreaterThan(0);
  expect(firstByteMs).toBeGreaterThan(0);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain('sig=x%5C[1-3]{a,b}');
});

it('curl asks for small ranges over one connection', async () => {
  const asked: (string | undefined)[] = [];
  const sockets = new Set<unknown>();
  const url = await serve((request, response) => {
    asked.push(request.headers.range);
    sockets.add(request.socket);
    response.writeHead(206, { 'content-range': 'bytes 0-3/9' }).end('abcd');
  });
  const ranges = [
    { offset: 0, bytes: 4 },
    { offset: 5, bytes: 4 },
    { offset: 2, bytes: 4 },
  ];
  expect(await curlRanges(url, ranges, NEVER)).toBeGreaterThan(0);
  expect(asked).toEqual(['bytes=0-3', 'bytes=5-8', 'bytes=2-5']);
  expect(sockets.size).toBe(1);
});

it('what curl cannot get is said', async () => {
  const url = await serve((_, response) => response.writeHead(403).end());
  await expect(curlDownload(url, 10, NEVER)).rejects.toThrow('the store answered with HTTP status 403');
  await expect(curlDownload('http://127.0.0.1:1/', 10, NEVER)).rejects.toThrow(/^curl: \(7\)/);
});

it('curl ends with the one who asked for it', async () => {
  const asked = new AbortController();
  const url = await serve(() => asked.abort());
  await expect(curlDownload(url, 10, asked.signal)).rejects.toThrow(/abort/i);
});
