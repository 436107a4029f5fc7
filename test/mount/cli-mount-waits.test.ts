import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { test } from '../support/sandbox-test.ts';
import { waitUntil } from '../support/wait-until.ts';

/** An API whose request limit is used up for two minutes. Answers its endpoint. */
async function busyService(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '120' });
    response.end(JSON.stringify({ status: 429, code: 1000, message: 'Too many requests.', more_info: '' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`;
}

test('svcfs mount says that the request limit is used up, and until when it waits, and can be interrupted', async ({
  sandbox,
}) => {
  const env = { SVC_API_ENDPOINT: await busyService(), SVC_AUTH_TOKEN: 'feedfacefeedfacefeedface' };
  const mount = sandbox.start(['mount', sandbox.mountPoint], env);
  await waitUntil(() => mount.stderr !== '' || !mount.running, {
    what: 'a word on stderr',
    timeoutMs: 20_000,
  });
  expect(mount.stderr).toMatch(/^svcfs: the request limit is used up: waiting until 20\S+Z \(12\d s\)\n$/);
  mount.signal('SIGINT');
  await mount.exited();
  await waitUntil(async () => (await sandbox.processes()).length === 0, { what: 'all processes ended' });
});
