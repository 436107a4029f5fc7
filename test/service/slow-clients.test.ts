import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let folder: string;

beforeAll(async () => {
  service = await TestService.start({
    clientLimits: { headSeconds: 0.2, bodyBytesPerSecond: 4_000, bodyWindowSeconds: 0.5, silenceSeconds: 2 },
  });
  alice = await service.user('alice');
  folder = (await alice.project('Slow')).root_folder;
});
afterAll(() => service.stop());

/** A client that sends what it is told and keeps what it is answered. */
class RawClient {
  readonly #socket: Socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  answer = '';
  closed = false;

  constructor() {
    this.#socket.on('data', (bytes) => {
      this.answer += bytes.toString();
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.closed = true;
    });
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  get error(): object {
    return JSON.parse(this.answer.slice(this.answer.indexOf('\r\n\r\n')));
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Sends a little again and again until the service has closed the connection. */
async function drip(client: RawClient, bytes: string): Promise<void> {
  await waitUntil(() => {
    if (!client.closed) client.send(bytes);
    return client.closed;
  });
}

async function partHead(size: number): Promise<string> {
  const { upload_id } = (await alice.post('/upload/multipart', { parent: folder, name: `part ${size}` }))
    .body;
  const { body } = await alice.get(`/upload/multipart/${upload_id}/part/1`);
  const { pathname, search } = new URL(body.url);
  return `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`;
}

describe('a client that is too slow', () => {
  test('with the head of a request is told 408, in the standard shape', async () => {
    const client = new RawClient();
    client.send('GET /v2/ HTTP/1.1\r\n');
    await drip(client, 'X-A: b\r\n');
    expect(client.answer).toContain('HTTP/1.1 408 ');
    expect(client.error).toMatchObject({ status: 408, code: 90000 });
  });

  test('with a JSON body is told so too, though it sends a byte now and then', async () => {
    const client = new RawClient();
    const token = `X-SVC-Auth-Token: ${alice.token}\r\nContent-Type: application/json\r\n`;
    client.send(`POST /v2/projects HTTP/1.1\r\nHost: x\r\n${token}Content-Length: 100000\r\n\r\n{"name":"`);
    await drip(client, 'x');
    expect(client.error).toMatchObject({ status: 408, code: 90000 });
  });

  test('with a part is told so too, and nothing of it stays', async () => {
    const client = new RawClient();
    client.send(await partHead(1_000_000));
    await drip(client, 'x');
    expect(client.error).toMatchObject({ status: 408, code: 90000 });
    await expect.poll(() => service.services.stats.partsInFlight).toBe(0);
  });
});

describe('a client that is slow enough', () => {
  test('is let finish a part, however long that takes in all', async () => {
    const client = new RawClient();
    const size = 80_000;
    client.send(await partHead(size));
    const began = Date.now();
    for (let sent = 0; sent < size; sent += 4000) {
      client.send(new Uint8Array(4000));
      // Three windows and more in all; each gets many times what it must.
      await new Promise((resolve) => setTimeout(resolve, 80));
    }
    await waitUntil(() => client.answer.includes('\r\n\r\n'));
    expect(Date.now() - began).toBeGreaterThan(1500);
    expect(client.answer).toContain('HTTP/1.1 200 ');
    client.close();
  });
});
