/** `svcfs rm` of many files: its requests as a proxy before the service counts them, and what an interrupt leaves. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deferred } from '../../src/lib/deferred.ts';
import { MetadataWorld } from '../support/metadata-world.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import { Sandbox } from '../support/sandbox.ts';
import { waitUntil } from '../support/wait-until.ts';

const FILES = 2000;

let world: MetadataWorld;
let sandbox: Sandbox;
let proxy: RecordingProxy;
beforeAll(async () => {
  world = await MetadataWorld.start();
  sandbox = await Sandbox.create();
  proxy = await RecordingProxy.start(world.service.url);
});
afterAll(async () => {
  await proxy?.stop();
  await sandbox?.clean();
  await world?.stop();
});
beforeEach(() => {
  proxy.hold = async () => undefined;
});

const at = (...names: string[]): string => [`project:${world.project}`, ...names].join('/');
const environment = () => ({ SVC_API_ENDPOINT: `${proxy.url}/v2`, SVC_AUTH_TOKEN: world.alice.token });
const svcfs = (...args: string[]) => sandbox.svcfs(args, { env: environment() });
const namesIn = async (folder: string): Promise<readonly string[]> =>
  (await svcfs('ls', at(folder))).stdout.split('\n').filter((line) => line !== '');

/** The requests since the last time, but for those that ask how a job is. */
function taken(): Readonly<Record<string, number>> {
  const counts = Object.entries(proxy.taken());
  return Object.fromEntries(counts.filter(([call]) => !/^GET \/async|^GET \/$/.test(call)));
}

describe('2,000 files', () => {
  test('by their names take a listing and a request for each hundred', async () => {
    await world.folder('named', FILES);
    const names = (await namesIn('named')).map((name) => at('named', name));
    taken();
    expect(await svcfs('rm', ...names)).toMatchObject({ code: 0, stderr: '' });
    expect(taken()).toEqual({
      [`GET /projects/${world.project}`]: 1,
      'GET /files': 1,
      'GET /files/ID/list': 1 + FILES / 100,
      'POST /bulk/files/delete': FILES / 100,
    });
  });
});

describe('an end in the middle', () => {
  const isDeletion = ({ path }: { readonly path: string }) => path.includes('bulk/files/delete');

  /** Removes 1,000 files, of which the calls after the first stay open. */
  async function begun(folder: string) {
    await world.folder(folder, 1000);
    const names = (await namesIn(folder)).map((name) => at(folder, name));
    const held = deferred();
    proxy.requests.splice(0);
    proxy.hold = async (request) =>
      isDeletion(request) && proxy.requests.filter(isDeletion).length > 1 ? held.promise : undefined;
    const command = sandbox.start(['rm', '-f', ...names], environment());
    await waitUntil(() => proxy.requests.filter(isDeletion).length >= 4);
    return { names, held, command };
  }

  test('Ctrl-C ends between two calls and tells what was done; the same command does the rest', async () => {
    const { names, held, command } = await begun('interrupted');
    command.signal('SIGINT');
    await waitUntil(() => command.stderr.includes('ending after the calls under way'));
    held.resolve();
    expect(await command.exited()).toBe(1);
    expect(command.stderr).toMatch(
      /\nsvcfs: \d00 removed, \d00 not sent, \d+ requests\nsvcfs: interrupted\n$/,
    );
    const left = await namesIn('interrupted');
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(1000);
    proxy.hold = async () => undefined;
    expect(await svcfs('rm', '-f', ...names)).toMatchObject({ code: 0, stderr: '' });
    expect(await namesIn('interrupted')).toEqual([]);
  });

  test('after kill -9 the same command does the rest', async () => {
    const { names, held, command } = await begun('killed');
    command.signal('SIGKILL');
    held.resolve();
    proxy.hold = async () => undefined;
    expect(await svcfs('rm', '-f', ...names)).toMatchObject({ code: 0, stderr: '' });
    expect(await namesIn('killed')).toEqual([]);
  });
});
