import { afterEach, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { request, TestService } from './test-service.ts';

let service: TestService;
afterEach(() => service.stop());

const rates = (headers: Headers) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));

test('every answer tells the limit, what is left of it and when it resets', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  service = await TestService.start({ clock, rateLimit: { requests: 3, seconds: 300 } });
  const alice = await service.user('alice');
  const reset = clock.now() / 1000 + 300;
  expect(rates((await alice.get('/user')).headers)).toEqual([3, 2, reset]);
  expect(rates((await alice.get('/files/nothing')).headers)).toEqual([3, 1, reset]);
  expect(rates((await request('GET', `${service.url}/user`)).headers)).toEqual([3, 3, reset]);
});

test('past the limit it is 429 until the window ends', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  service = await TestService.start({ clock, rateLimit: { requests: 2, seconds: 300 } });
  const alice = await service.user('alice');
  await alice.get('/user');
  await clock.advance(100_000);
  await alice.get('/user');
  const refused = await alice.get('/user');
  expect([refused.status, refused.body.code]).toEqual([429, 1000]);
  expect(rates(refused.headers)).toEqual([2, 0, (clock.now() + 200_000) / 1000]);
  expect(refused.headers.get('retry-after')).toBeNull();
  await clock.advance(199_999);
  expect((await alice.get('/user')).status).toBe(429);
  await clock.advance(1);
  expect((await alice.get('/user')).status).toBe(200);
});

test('a clock that is set back keeps nobody out for as long', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  service = await TestService.start({ clock, rateLimit: { requests: 2, seconds: 300 } });
  const alice = await service.user('alice');
  for (const status of [200, 200, 429]) expect((await alice.get('/user')).status).toBe(status);
  clock.set(-7_200_000);
  const { status, headers } = await alice.get('/user');
  expect(status).toBe(200);
  expect(rates(headers)).toEqual([2, 1, clock.now() / 1000 + 300]);
});

test('each token has a limit of its own; the root, and storage, are not counted', async () => {
  service = await TestService.start({ rateLimit: { requests: 5, seconds: 300 } });
  const alice = await service.user('alice');
  const bob = await service.user('bob');
  const { root_folder } = await alice.project('P');
  await alice.upload(root_folder, 'f'); // three calls and a PUT
  await request('GET', `${service.url}/`, { headers: { 'X-SVC-Auth-Token': alice.token } });
  expect((await alice.get('/user')).status).toBe(200);
  expect((await alice.get('/user')).status).toBe(429);
  expect((await bob.get('/user')).status).toBe(200);
});

test('GET /rate_limit tells the same', async () => {
  service = await TestService.start({ rateLimit: { requests: 10, seconds: 300 } });
  const alice = await service.user('alice');
  const { body, headers } = await alice.get('/rate_limit');
  expect(body.rate).toEqual({ limit: 10, remaining: 9, reset: Number(headers.get('x-ratelimit-reset')) });
  expect(body.instance_limit.limit).toBe(-1);
});

test('a limit that is used up still answers GET /rate_limit, and nothing else', async () => {
  service = await TestService.start({ rateLimit: { requests: 2, seconds: 300 } });
  const alice = await service.user('alice');
  for (const status of [200, 200, 429]) expect((await alice.get('/user')).status).toBe(status);
  for (let n = 0; n < 2; n += 1) {
    const { status, body } = await alice.get('/rate_limit');
    expect([status, body.rate.limit, body.rate.remaining]).toEqual([200, 2, 0]);
  }
  expect((await alice.get('/user')).status).toBe(429);
});

test('without a limit nothing is refused, and the headers are there', async () => {
  service = await TestService.start({ rateLimit: 'off' });
  const alice = await service.user('alice');
  for (let n = 0; n < 20; n += 1) expect((await alice.get('/user')).status).toBe(200);
  const [limit = 0, remaining = 0] = rates((await alice.get('/user')).headers);
  expect(Math.min(limit, remaining)).toBeGreaterThan(1_000_000);
});
