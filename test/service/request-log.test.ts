import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { request, TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
});
afterAll(() => service.stop());

/** Lines about the requests that had this id. */
function linesOf(requestId: string): object[] {
  return service.logger.lines
    .filter(({ fields }) => (fields as { requestId?: string }).requestId === requestId)
    .map(({ text, fields }) => ({ text, ...fields }));
}

describe('a request', () => {
  test('has one line, with its route, status, duration, user and id, and without its query', async () => {
    const { headers } = await alice.get('/files/nothing?fields=secret');
    const id = headers.get('x-request-id') ?? '';
    await expect.poll(() => linesOf(id)).toHaveLength(1);
    const [line] = linesOf(id);
    expect(line).toEqual({
      text: 'answered',
      requestId: id,
      method: 'GET',
      route: '/v2/files/:file_id',
      path: '/v2/files/nothing',
      user: 'alice',
      status: 404,
      ms: expect.any(Number),
    });
  });

  test('keeps the id that a proxy gave it', async () => {
    const answer = await alice.get('/user', { 'X-Request-Id': 'edge-7:42.a_b' });
    expect(answer.headers.get('x-request-id')).toBe('edge-7:42.a_b');
    await expect.poll(() => linesOf('edge-7:42.a_b')).toHaveLength(1);
  });

  test.each(['', ' ', 'two words', 'x'.repeat(65), '{"a":1}', '-dash'])(
    'gets another id than %j, which does not belong into a log',
    async (given) => {
      const { headers } = await alice.get('/user', { 'X-Request-Id': given });
      expect(headers.get('x-request-id')).toMatch(/^\w+$/);
      expect(headers.get('x-request-id')).not.toBe(given);
    },
  );

  test('has its id on an error and on what is beside the API too', async () => {
    for (const path of ['/v2/nowhere', '/healthz', '/storage/blobs/none', '/v2/files/%zz']) {
      const { headers } = await request('GET', service.url.replace('/v2', path));
      expect(headers.get('x-request-id')).toMatch(/^\w+$/);
    }
  });
});
