import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
});
afterAll(() => service.stop());

test('feedback reaches the operator through the log, with who gave it', async () => {
  const body = { type: 'IDEA', text: 'A dark mode', referrer: 'the files page' };
  expect((await alice.post('/action/notifications/feedback', body)).status).toBe(204);
  const line = service.logger.lines.find(({ text }) => text === 'feedback');
  expect(line).toMatchObject({ level: 'warn', fields: { ...body, user: 'alice' } });
});

test.each([{}, { text: '' }, { text: 'x'.repeat(10_001) }, { text: 7 }])(
  'the body %j is refused',
  async (body) => {
    const { status, body: error } = await alice.post('/action/notifications/feedback', body);
    expect([status, error.code]).toEqual([400, 90000]);
  },
);
