/** A token that ends while a mount goes on, and another one that takes its place without a new mount. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { attempt, errorOf, FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

let world: FaultWorld;
let file: string;
beforeAll(async () => {
  world = await FaultWorld.start();
  await shell(`cd ${world.own()}; echo small > file`);
  file = world.own('file');
});
afterAll(() => world?.clean());

const login = (token: string, args: readonly string[] = []) =>
  world.sandbox.svcfs(['login', '--endpoint', world.endpoint, '--token-file', '-', ...args], {
    input: token,
  });
const reads = async (): Promise<boolean> => (await attempt('cat', [file])).code === 0;
const isRefused = async (): Promise<boolean> => !(await reads());

async function expectRefused(): Promise<void> {
  await waitUntil(isRefused);
  expect((await attempt('cat', [file])).stderr).toContain('Permission denied');
  expect(await errorOf(file)).toMatch(/EACCES, code 90001.*run svcfs login/);
}

it('svcfs login brings a mount back whose token was of the environment, without a new mount', async () => {
  await world.operate((operator) => operator.revokeToken(world.token));
  await expectRefused();
  const token = await world.newToken();
  expect(await login(token)).toMatchObject({ code: 0, stdout: expect.stringContaining('you are ann') });
  expect(await mustRun('cat', [file])).toBe('small\n');
  await shell(`cd ${world.own()}; echo more > new; mkdir folder`);
  expect(await world.sandbox.logs()).toContain('took up another token');
});

it('a token of somebody else is not taken up: what the mount keeps is not theirs', async () => {
  await world.operate((operator) => operator.revokeTokensOf('ann'));
  await expectRefused();
  const token = await world.operate((operator) => operator.issueToken('bob'));
  expect((await login(token)).code).toBe(0);
  expect(await reads()).toBe(false);
  expect(await world.sandbox.logs()).toContain('it is bob’s, and ann is whom this mount is for');
  expect((await login(await world.newToken())).code).toBe(0);
  expect(await reads()).toBe(true);
});

it('a token that is replaced in its file is taken up, also before the old one ends', async () => {
  const path = world.outside('token');
  const [first, second] = [await world.newToken(), await world.newToken()];
  await writeFile(path, first, { mode: 0o600 });
  await world.unmount();
  await world.mount(['--token-file', path], { SVC_AUTH_TOKEN: undefined });
  const taken = async (): Promise<number> => (await world.sandbox.logs()).split('took up another').length;
  const before = await taken();
  await writeFile(path, second);
  // The file is looked at while calls are made, once in some seconds.
  const isTaken = async (): Promise<boolean> => {
    await shell(`touch ${world.own('probe')}; rm ${world.own('probe')}`);
    return (await taken()) > before;
  };
  await waitUntil(isTaken, { everyMs: 500 });
  await world.operate((operator) => operator.revokeToken(first));
  expect(await reads()).toBe(true);
});
