/** `--write-back`: metadata of files that are on the platform follows the calls that set it, and gets there whatever happens. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SeenRequest } from '../support/fault-proxy.ts';
import { attempt, errorOf, FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';

const FILES = 24;
const EDIT = '/v2/bulk/files/edit';

let world: FaultWorld;
beforeAll(async () => {
  world = await FaultWorld.start({ mountArgs: ['--write-back', '--retry-timeout', '2'] });
  await shell(`for i in $(seq ${FILES}); do echo text $i > ${world.own('f')}$i; done`);
  await flushed();
  return () => world.clean();
});
afterEach(() => world.proxy.heal());

const isEdit = ({ path }: SeenRequest): boolean => path.startsWith(EDIT);
/** None of the changes gets through. */
const holdEdits = (): void => void world.proxy.inject({ kind: 'answer', status: 503 }, { when: isEdit });
const flush = (...path: string[]) => world.sandbox.svcfs(['flush', ...path]);
const set = (path: string, key: string, value: string) =>
  mustRun('setfattr', ['-n', `user.${key}`, '-v', value, path]);
const get = (path: string, key: string): Promise<string> =>
  shell(`getfattr --only-values -n user.${key} ${path}`);

async function flushed(): Promise<void> {
  const { code, stderr } = await flush();
  expect([code, stderr]).toEqual([0, '']);
}

/** The file's metadata as another client sees it. */
async function onPlatform(name: string): Promise<Readonly<Record<string, string>>> {
  const query = `project=ann/study&name=${name}&fields=_all`;
  const { items } = await world.api<{ items: readonly { id: string }[] }>(`/files?${query}`);
  return world.api(`/files/${items[0]?.id}/metadata`);
}

/** Changes that `work` asks the platform for until all is there. */
async function changesOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = world.proxy.requests.length;
  await work();
  await flushed();
  const isChange = ({ method, path }: SeenRequest): boolean =>
    method !== 'GET' && !path.includes('/bulk/files/get') && !path.includes('/search');
  return world.proxy.requests
    .slice(before)
    .filter(isChange)
    .map(({ method, path }) => `${method} ${path}`);
}

/** One for each two seconds that the programs took: a second or less. */
function expectFewEdits(changes: readonly string[]): void {
  expect(new Set(changes)).toEqual(new Set([`POST ${EDIT}`]));
  expect(changes.length).toBeLessThanOrEqual(3);
}

describe('metadata that is set with --write-back', () => {
  it('costs few requests for ten pairs of each of 24 files, by setfattr, touch and chmod', async () => {
    const pairs = Array.from({ length: 10 }, (_, at) => `user.k${at}="value ${at}"\n`).join('');
    const files = Array.from({ length: FILES }, (_, at) => world.own(`f${at + 1}`));
    const dump = world.outside('dump');
    await writeFile(dump, files.map((path) => `# file: ${path}\n${pairs}\n`).join(''));
    expectFewEdits(await changesOf(() => mustRun('setfattr', [`--restore=${dump}`])));
    const touched = `touch -d 2001-02-03 ${files.join(' ')}; chmod 600 ${files.join(' ')}`;
    expectFewEdits(await changesOf(() => shell(touched)));
    await world.remount();
    expect(await get(world.own('f7'), 'k9')).toBe('value 9');
    expect(await shell(`stat -c '%a %y' ${world.own('f24')}`)).toMatch(/^600 2001-02-03/);
  });

  it('is seen at once, also by a listing that comes between, and by what needs the platform to have it', async () => {
    const file = world.own('f1');
    await set(file, 'seen', 'yes');
    await mustRun('setfattr', ['-x', 'user.k1', file]);
    await mustRun('setfattr', ['-n', 'user.svc.tags', '-v', '["one"]', file]);
    expect(await get(file, 'seen')).toBe('yes');
    expect((await attempt('getfattr', ['-n', 'user.k1', file])).stderr).toContain('No such attribute');
    const { stdout } = await world.sandbox.svcfs(['meta', 'get', 'seen', '--', file]);
    expect(stdout).toContain('yes');
    expect(await onPlatform('f1')).toMatchObject({ seen: 'yes', k2: 'value 2' });
    expect(await onPlatform('f1')).not.toHaveProperty('k1');
    await set(file, 'seen', 'again');
    await mustRun('mv', [file, world.own('renamed')]);
    expect(await onPlatform('renamed')).toMatchObject({ seen: 'again' });
  });

  it('goes along with new content, and with a file that is removed', async () => {
    holdEdits();
    const file = world.own('f2');
    await set(file, 'kept', 'yes');
    await shell(`echo new > ${file}`);
    await set(world.own('f3'), 'gone', 'yes');
    await mustRun('rm', [world.own('f3')]);
    await flushed();
    expect(await onPlatform('f2')).toMatchObject({ kept: 'yes', k1: 'value 1' });
  });

  it('is sent by the next mount when this one is killed', async () => {
    holdEdits();
    await set(world.own('f4'), 'killed', 'no');
    await set(world.own('f4'), 'killed', 'yes');
    await world.killMount();
    const { stdout } = await world.sandbox.svcfs(['recover', 'list']);
    expect(stdout).toContain(`${world.own('f4')}\n    its mount ended before its new metadata was sent`);
    world.proxy.heal();
    await world.mount();
    expect(await get(world.own('f4'), 'killed')).toBe('yes');
    await flushed();
    expect(await onPlatform('f4')).toMatchObject({ killed: 'yes' });
  });

  it('is tried again when the service was away, and named meanwhile', async () => {
    holdEdits();
    await set(world.own('f5'), 'later', 'yes');
    const failed = await flush(world.own('f5'));
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('f5: its new metadata is not') });
    world.proxy.heal();
    await flushed();
    expect(await onPlatform('f5')).toMatchObject({ later: 'yes' });
  });

  it('is kept as a table, named, and shown no more when another client replaced the file', async () => {
    holdEdits();
    const file = world.own('f6');
    await set(file, 'mine', 'yes');
    await replaceElsewhere('f6');
    world.proxy.heal();
    const failed = await flush(file);
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('f6: its new metadata was refused'),
    });
    expect((await attempt('getfattr', ['-n', 'user.mine', file])).stderr).toContain('No such attribute');
    expect(await errorOf(file)).toContain('its new metadata was refused');
    const { code, stderr } = await world.unmount();
    expect([code, stderr]).toEqual([1, expect.stringContaining('f6')]);
    expect((await world.mount()).stderr).toContain('f6');
    const table = world.outside('f6.jsonl');
    expect(await world.sandbox.svcfs(['recover', 'save', file, table])).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(table, 'utf8'))).toMatchObject({
      svc: { path: 'project:ann/study/f6' },
      metadata: { mine: 'yes' },
    });
    expect(await world.sandbox.svcfs(['meta', 'import', '--follow-path', table])).toMatchObject({ code: 0 });
    expect(await get(file, 'mine')).toBe('yes');
    expect(await world.sandbox.svcfs(['recover', 'drop', '--yes', file])).toMatchObject({ code: 0 });
    await flushed();
  });

  it('is kept as a table when the user may not change it, and sent when she may', async () => {
    await letWrite(true);
    await world.remount();
    const file = world.readOnly('hers');
    await shell(`echo text > ${file}`);
    await flushed();
    holdEdits();
    await set(file, 'mine', 'yes');
    await letWrite(false);
    world.proxy.heal();
    expect(await flush(file)).toMatchObject({ code: 1, stderr: expect.stringContaining('refused') });
    await letWrite(true);
    const retried = await world.sandbox.svcfs(['recover', 'retry', file]);
    expect([retried.code, retried.stderr]).toEqual([0, '']);
    expect(await get(file, 'mine')).toBe('yes');
    await flushed();
  });
});

/** Whether ann may write in bob's project. */
async function letWrite(write: boolean): Promise<void> {
  const token = await world.operate((operator) => operator.issueToken('bob'));
  await call(token, 'PATCH', '/projects/bob/shared/members/ann/permissions', {
    'Content-Type': 'application/json',
    body: JSON.stringify({ write, copy: true }),
  });
}

/** As another client of the user's does. */
async function replaceElsewhere(name: string): Promise<void> {
  const query = `project=ann/study&name=${name}&overwrite=true`;
  await call(await world.newToken(), 'POST', `/upload/inline?${query}`, {
    'Content-Type': 'application/octet-stream',
    body: 'other\n',
  });
}

/** Past the mount and the proxy. */
async function call(
  token: string,
  method: string,
  path: string,
  { body, ...headers }: { readonly 'Content-Type': string; readonly body: string },
): Promise<void> {
  const answer = await fetch(`${world.origin}/v2${path}`, {
    method,
    headers: { ...headers, 'X-SVC-Auth-Token': token },
    body,
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
}
