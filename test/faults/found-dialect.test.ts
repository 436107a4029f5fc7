/** A service that knows only the platform's words, and a mount that nobody told so. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';

const REFUSED = { status: 401, code: 90001, message: 'No such token.', more_info: '' };

let world: FaultWorld;
beforeAll(async () => {
  world = await FaultWorld.start();
  await shell(`cd ${world.own()}; echo words > file; setfattr -n user.sample -v s1 file`);
  // The first mount found a service that speaks both, and has that in mind.
  await world.unmount();
  world.proxy.inject(
    {
      kind: 'answer',
      status: 401,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(REFUSED),
    },
    { when: ({ headers }) => headers['x-svc-auth-token'] !== undefined },
  );
});
afterAll(() => world?.clean());

const asked = (header: string): number =>
  world.proxy.requests.filter(({ headers }) => headers[header] !== undefined).length;

it('the first refusal has the other words tried, and everything works in them', async () => {
  await world.mount();
  const { stdout } = await world.sandbox.svcfs(['status', world.sandbox.mountPoint]);
  expect(stdout).toMatch(/service: answers; dialect sbg;/);
  expect(await mustRun('cat', [world.own('file')])).toBe('words\n');
  expect(await mustRun('getfattr', ['--only-values', '-n', 'user.sample', world.own('file')])).toBe('s1');
  await shell(`cd ${world.own()}; mkdir folder; echo more > folder/new; mv file folder`);
});

it('the next mount begins with them', async () => {
  const before = asked('x-svc-auth-token');
  await world.remount();
  expect(await mustRun('cat', [world.own('folder', 'new')])).toBe('more\n');
  expect(asked('x-svc-auth-token')).toBe(before);
  expect(asked('x-sbg-auth-token')).toBeGreaterThan(0);
});

it('--dialect goes before what is in mind', async () => {
  await world.unmount();
  const args = ['mount', world.sandbox.mountPoint, '--dialect', 'svc'];
  const env = { SVC_API_ENDPOINT: world.endpoint, SVC_AUTH_TOKEN: world.token };
  expect(await world.sandbox.svcfs(args, { env })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('refused the token'),
  });
});
