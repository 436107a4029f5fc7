import { connect, type Socket } from 'node:net';
import { dirSync } from 'tmp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Operator } from '../../src/service/operator/operator.ts';
import { openServices } from '../../src/service/start-service.ts';
import { BackgroundProcess } from '../support/background-process.ts';
import { waitUntil } from '../support/wait-until.ts';
import { LinesLogger, request, TestUser } from './test-service.ts';

const MAIN = new URL('../../src/cli/main.ts', import.meta.url).pathname;
const LOADER = new URL('../support/run-typescript.mjs', import.meta.url).href;
const cleanups: (() => Promise<unknown>)[] = [];
let dataDir: string;
let token: string;

beforeEach(async () => {
  const directory = dirSync({ prefix: 'svcfs-shutdown', unsafeCleanup: true });
  cleanups.push(async () => directory.removeCallback());
  dataDir = directory.name;
  const services = await openServices({ dataDir, rateLimit: 'off', logger: new LinesLogger() });
  const operator = new Operator(services);
  await operator.createUser('alice');
  token = await operator.issueToken('alice');
  await services.store.close();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** `svcfs serve`, as an operator's service manager runs it. */
async function serve(...options: string[]) {
  const args = [
    'serve',
    '--data',
    dataDir,
    '--listen',
    '127.0.0.1:0',
    '--monitor',
    '127.0.0.1:0',
    ...options,
  ];
  const process = new BackgroundProcess('node', ['--import', LOADER, MAIN, ...args]);
  cleanups.push(() => process.end());
  const [, monitor = ''] = await process.says(/metrics and health on (\S+)/);
  const [, url = ''] = await process.says(/listening on (\S+)/);
  return { process, monitor, url, alice: new TestUser(url, 'alice', token) };
}

/** A part of which the first half is on its way: the service is reading. */
class HalfSentPart {
  readonly #socket: Socket;
  readonly uploadId: string;
  answer = '';
  closed = false;

  static async send(alice: TestUser, monitor: string): Promise<HalfSentPart> {
    const { root_folder } = await alice.project('Shut down');
    const { upload_id } = (await alice.post('/upload/multipart', { parent: root_folder, name: 'part' })).body;
    const { body } = await alice.get(`/upload/multipart/${upload_id}/part/1`);
    const part = new HalfSentPart(new URL(body.url), upload_id);
    await waitUntil(async () =>
      (await (await fetch(`${monitor}/metrics`)).text()).includes('svcfs_parts_in_flight 1'),
    );
    return part;
  }

  private constructor({ port, pathname, search }: URL, uploadId: string) {
    this.uploadId = uploadId;
    this.#socket = connect(Number(port), '127.0.0.1');
    this.#socket.on('data', (bytes) => {
      this.answer += bytes.toString();
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.closed = true;
    });
    this.#socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nfirst`);
    cleanups.push(async () => this.#socket.destroy());
  }

  finish(): void {
    this.#socket.write('other');
  }

  get etag(): string | undefined {
    return /etag: "(\w+)"/i.exec(this.answer)?.[1];
  }
}

describe('SIGTERM', () => {
  test('lets a part on its way come to its end, and takes no new connection meanwhile', async () => {
    const { process, monitor, url, alice } = await serve();
    const part = await HalfSentPart.send(alice, monitor);
    process.signal('SIGTERM');
    await waitUntil(() =>
      request('GET', `${url}/`).then(
        () => false,
        () => true,
      ),
    );
    const { status, body } = await request('GET', `${monitor}/readyz`);
    expect([status, body.checks.process]).toEqual([503, 'shutting down']);
    expect(process.running).toBe(true);
    part.finish();
    await waitUntil(() => part.closed);
    expect(part.answer).toContain('HTTP/1.1 200 ');
    expect(await process.exited()).toBe(0);

    const again = await serve();
    const report = { part_number: 1, response: { headers: { ETag: part.etag } } };
    const done = await again.alice.post(`/upload/multipart/${part.uploadId}/complete`, { parts: [report] });
    expect(await (await again.alice.download(done.body.id)).text()).toBe('firstother');
  });

  test('waits no longer than it may, and cuts what is left', async () => {
    const { process, monitor, alice } = await serve('--shutdown-timeout', '1');
    const part = await HalfSentPart.send(alice, monitor);
    process.signal('SIGTERM');
    expect(await process.exited()).toBe(0);
    expect(part.answer).toBe('');
  });

  test('sent again, waits no longer', async () => {
    const { process, monitor, url, alice } = await serve('--shutdown-timeout', '3600');
    await HalfSentPart.send(alice, monitor);
    process.signal('SIGTERM');
    await waitUntil(() =>
      request('GET', `${url}/`).then(
        () => false,
        () => true,
      ),
    );
    process.signal('SIGTERM');
    expect(await process.exited()).toBe(0);
  });

  test('answers who waits for a job, and gives the job to the next process', async () => {
    const { process, url, alice } = await serve('--role', 'api', '--internal-stats');
    const { root_folder } = await alice.project('Waiting');
    const { id } = await alice.upload(root_folder, 'file');
    const items = [{ file: id, parent: root_folder, name: 'copy' }];
    const job = (await alice.post('/async/files/copy', { items })).body;
    const waiting = alice.get(`/async/files/copy/${job.id}?wait=30`);
    const stats = url.replace('/v2', '/internal/stats');
    const asked = 'GET /v2/async/files/copy/:id';
    await waitUntil(async () => (await request('GET', stats)).body.apiCalls[asked] === 1);
    const began = Date.now();
    process.signal('SIGTERM');
    expect((await waiting).body.state).toBe('SUBMITTED');
    expect(await process.exited()).toBe(0);
    expect(Date.now() - began).toBeLessThan(25_000);

    const again = await serve();
    await waitUntil(
      async () => (await again.alice.get(job.href.replace(/^.*\/v2/, ''))).body.state === 'FINISHED',
    );
  });
});
