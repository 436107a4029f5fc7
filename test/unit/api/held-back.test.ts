/** Questions that the service holds back until there is something to tell: its silence is no failure. */
import { afterEach, expect, it } from 'vitest';
import type { Api } from '../../../src/api/api.ts';
import { createApi } from '../../../src/api/create-api.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { type RawServer, startRawServer } from '../../support/raw-http-server.ts';

/** As `--retry-timeout`: shorter than the service holds back. */
const LIMIT_MS = 400;
const HELD_MS = 8 * LIMIT_MS;
const BODY = JSON.stringify({ status: 404, code: 5002, message: 'there is no such job' });
const ANSWER = `HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

let server: RawServer;
let api: Api;
afterEach(async () => {
  await api.close();
  await server[Symbol.asyncDispose]();
});

it('an answer that is held back for longer than calls are tried comes, over one connection', async () => {
  server = await startRawServer((socket) => {
    const timer = setTimeout(() => socket.write(ANSWER), HELD_MS);
    socket.on('close', () => clearTimeout(timer));
  });
  const endpoint = `${new URL(server.url).origin}/v2`;
  api = createApi({ endpoint, token: 't', clock: systemClock, limits: { timeoutMs: LIMIT_MS } });
  const asked = api.asyncFiles.get('move', 'job', { waitSeconds: 30 });
  await expect(asked).rejects.toMatchObject({ status: 404 });
  expect(server.requests).toHaveLength(1);
});
