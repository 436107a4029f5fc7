import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { request, TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
const clock = new FakeClock(Date.UTC(2026, 0, 1));

beforeAll(async () => {
  service = await TestService.start({ clock, rateLimit: { requests: 1000, seconds: 300 } });
  alice = await service.user('alice');
});
afterAll(() => service.stop());

describe('token', () => {
  test('GET / needs none', async () => {
    const { status, body } = await request('GET', `${service.url}/`);
    expect(status).toBe(200);
    expect(body.capabilities).toEqual(
      expect.arrayContaining([
        'volume_download_info',
        'job_wait',
        'variable_part_size',
        'rename_overwrite',
        'upload_inline',
        'download_info_file',
        'copy_annotations',
      ]),
    );
    expect(body.files_url).toBe(`${service.url}/files`);
    expect(body.download_origin).toBe(new URL(service.url).origin);
  });

  test.each([{}, { 'X-SVC-Auth-Token': '' }, { 'X-SVC-Auth-Token': 'nonsense' }])(
    'the headers %j give 401',
    async (headers) => {
      const { status, body } = await request('GET', `${service.url}/user`, { headers });
      expect([status, body.code]).toEqual([401, 90001]);
    },
  );

  test('may come as a bearer token', async () => {
    const headers = { Authorization: `Bearer ${alice.token}` };
    expect((await request('GET', `${service.url}/user`, { headers })).body.username).toBe('alice');
  });

  test('expires', async () => {
    const token = await service.operator.issueToken('alice', { expiresMs: clock.now() + 1000 });
    const headers = { 'X-SVC-Auth-Token': token };
    expect((await request('GET', `${service.url}/user`, { headers })).status).toBe(200);
    await clock.advance(1000);
    expect((await request('GET', `${service.url}/user`, { headers })).status).toBe(401);
  });

  test('can be revoked', async () => {
    const token = await service.operator.issueToken('alice');
    await service.operator.revokeToken(token);
    const headers = { 'X-SVC-Auth-Token': token };
    expect((await request('GET', `${service.url}/user`, { headers })).status).toBe(401);
  });

  test('is in no log, nor is a signature', async () => {
    const project = await alice.project('Logged');
    const { id } = await alice.upload(project.root_folder, 'logged.txt');
    await (await alice.download(id)).text();
    const log = JSON.stringify(service.logger.lines);
    expect(log).toContain('/storage/blobs/');
    expect(log).not.toContain(alice.token);
    expect(log).not.toContain('signature');
  });
});

describe('path and body', () => {
  test('a trailing slash is the same path', async () => {
    const answer = await alice.get('/user/');
    expect(answer.status).toBe(200);
    expect((await alice.post('/projects/', { name: 'Slash' })).body.id).toBe('alice/slash');
  });

  test('a body of null is no body, on GET and POST', async () => {
    const { status } = await rawGetWithBody('/v2/user', 'null');
    expect(status).toBe(200);
    const project = await alice.project('Null body');
    const started = await alice.post('/upload/multipart', { parent: project.root_folder, name: 'n' });
    const part = await alice.putPart(started.body.upload_id, 1, '');
    await alice.post(`/upload/multipart/${started.body.upload_id}/part/`, part);
    expect((await alice.post(`/upload/multipart/${started.body.upload_id}/complete`, null)).status).toBe(200);
  });

  test('DELETE takes a body of {}', async () => {
    const project = await alice.project('Deleted');
    expect((await alice.call('DELETE', `/projects/${project.id}`, { body: {} })).status).toBe(204);
  });

  test('a JSON body under another content type is 415', async () => {
    const headers = { 'Content-Type': 'text/plain' };
    const { status, body } = await alice.call('POST', '/projects', { body: '{"name":"x"}', headers });
    expect([status, body.code]).toEqual([415, 90008]);
  });

  test('an empty body needs no content type', async () => {
    const { status, body } = await alice.call('POST', '/projects');
    expect([status, body.code]).toEqual([400, 90000]);
  });

  test.each(['{"name":', 'nonsense', '"text"', '[]', '7'])('the body %s is refused', async (text) => {
    const { status, body } = await alice.call('POST', '/projects', { body: text });
    expect([status, body.code]).toEqual([400, 90000]);
  });

  test('a body that is not UTF-8 is refused', async () => {
    const answer = await fetch(`${service.url}/projects`, {
      method: 'POST',
      headers: { 'X-SVC-Auth-Token': alice.token, 'Content-Type': 'application/json' },
      body: Buffer.from('{"name":"\xff"}', 'latin1'),
    });
    expect(answer.status).toBe(400);
  });

  test('an unknown field is refused and named', async () => {
    const { status, body } = await alice.post('/projects', { name: 'x', nmae: 'y' });
    expect(status).toBe(400);
    expect(body.message).toContain('nmae');
  });

  test('a body over the limit is refused', async () => {
    const { status, body } = await alice.post('/projects', { name: 'x'.repeat(17 * 1024 * 1024) });
    expect([status, body.code]).toEqual([413, 90000]);
  });
});

describe('errors', () => {
  test('have the standard shape', async () => {
    const { status, body } = await alice.get('/files/nothing');
    expect(status).toBe(404);
    expect(body).toEqual({
      status: 404,
      code: 5002,
      message: expect.any(String),
      more_info: `${service.url}/api-status-codes#5002`,
    });
  });

  test('are explained at an address that needs no token', async () => {
    const { status, body } = await request('GET', `${service.url}/api-status-codes`);
    expect(status).toBe(200);
    expect(body['5002']).toEqual({ status: 404, message: expect.any(String) });
  });

  test('an address that is not there is 404', async () => {
    expect((await alice.get('/nowhere')).body).toMatchObject({ status: 404, code: 90003 });
    const outside = await request('GET', `${service.url.replace('/v2', '')}/nowhere`);
    expect(outside.body).toMatchObject({ status: 404, code: 90003 });
  });

  test('a method that is not known is 405 and says which are', async () => {
    const { status, body, headers } = await alice.call('PUT', '/projects');
    expect([status, body.code]).toEqual([405, 90006]);
    expect(headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(['GET', 'POST']));
  });

  test('a malformed address is 400', async () => {
    expect((await alice.get('/files/%zz')).body).toMatchObject({ status: 400, code: 90000 });
  });

  test('headers that are too large are 431, in the standard shape', async () => {
    const { status, body } = await raw(
      `GET /v2/ HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`,
    );
    expect(status).toBe(431);
    expect(JSON.parse(body)).toMatchObject({ status: 431, code: 90000 });
  });

  test('what is no HTTP is 400, in the standard shape', async () => {
    const { status, body } = await raw('HELLO\r\n\r\n');
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ status: 400, code: 90000 });
  });

  test('a Host that no address can hold breaks nothing', async () => {
    const { status } = await raw(
      `GET /v2/projects HTTP/1.1\r\nHost: a b:99999999\r\nConnection: close\r\nX-SVC-Auth-Token: ${alice.token}\r\n\r\n`,
    );
    expect([200, 400]).toContain(status);
  });
});

describe('answers', () => {
  test('carry a request id of their own', async () => {
    const [one, two] = await Promise.all([alice.get('/user'), alice.get('/user')]);
    expect(one?.headers.get('x-request-id')).toMatch(/^\w+$/);
    expect(one?.headers.get('x-request-id')).not.toBe(two?.headers.get('x-request-id'));
  });

  test('hold addresses with the host the client used', async () => {
    const url = service.url.replace('127.0.0.1', 'localhost');
    const { body } = await request('GET', `${url}/`);
    expect(body.user_url).toBe(`${url}/user`);
  });

  test('are sent in one write, header and body', async () => {
    const writes: string[] = [];
    const watch = (message: unknown): void => {
      const { socket } = message as { readonly socket: Socket };
      for (const name of ['_write', '_writev'] as const) {
        const write = socket[name]?.bind(socket) as (...args: unknown[]) => void;
        vi.spyOn(socket, name).mockImplementation((...args: unknown[]) => {
          writes.push(name);
          write(...args);
        });
      }
    };
    subscribe('net.server.socket', watch);
    const { status } = await rawGetWithBody('/v2/user', 'null');
    unsubscribe('net.server.socket', watch);
    expect([status, writes.length]).toEqual([200, 1]);
  });

  test('show only the fields asked for', async () => {
    expect((await alice.get('/user?fields=username,email')).body).toEqual({
      username: 'alice',
      email: 'alice@example.org',
    });
    expect((await alice.post('/projects?fields=id', { name: 'Fields' })).body).toEqual({
      id: 'alice/fields',
    });
  });

  test('are described in OpenAPI, and so is every call, but nothing beside the API', async () => {
    const { body } = await request('GET', `${service.url}/openapi.json`);
    expect(body.openapi).toBe('3.1.0');
    expect(Object.keys(body.paths['/v2/files/{file_id}'])).toEqual(['get', 'patch', 'delete']);
    expect(Object.keys(body.paths).filter((path) => !path.startsWith('/v2'))).toEqual([]);
    const { schema } = body.paths['/v2/files'].post.requestBody.content['application/json'];
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
  });

  test('fields given twice is refused', async () => {
    expect((await alice.get('/user?fields=a&fields=b')).status).toBe(400);
  });

  test('fields does not cut errors', async () => {
    expect((await alice.get('/files/nothing?fields=id')).body.code).toBe(5002);
  });
});

async function rawGetWithBody(path: string, body: string): Promise<{ status: number; body: string }> {
  return raw(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-SVC-Auth-Token: ${alice.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

/** Sends exactly these bytes and reads until the service closes. */
async function raw(text: string): Promise<{ status: number; body: string }> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(text);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  const answer = Buffer.concat(chunks).toString();
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  return { status: Number(head.split(' ')[1]), body };
}
