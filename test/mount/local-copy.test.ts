/** `svcfs cp` between this machine and a project: what it makes, what it costs, and what an end in the middle leaves. */
import { appendFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EntryRecord, FileRecord, FolderRecord } from '../../src/api/model.ts';
import { deferred } from '../../src/lib/deferred.ts';
import { MetadataWorld } from '../support/metadata-world.ts';
import { type PassedRequest, RecordingProxy } from '../support/recording-proxy.ts';
import { shell } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';
import { MAY_MOUNT, SmallDisk } from '../support/small-disk.ts';
import { waitUntil } from '../support/wait-until.ts';

const MIB = 1024 * 1024;
/** Parts of 16 MiB. */
const LARGE_BYTES = 90 * MIB;

let world: MetadataWorld;
let sandbox: Sandbox;
let proxy: RecordingProxy;
beforeAll(async () => {
  world = await MetadataWorld.start();
  sandbox = await Sandbox.create();
  proxy = await RecordingProxy.start(world.service.url);
  await shell(`cd ${sandbox.root}; mkdir here back; head -c ${LARGE_BYTES} /dev/urandom > large`);
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
const here = (...names: string[]): string => join(sandbox.root, 'here', ...names);
const back = (...names: string[]): string => join(sandbox.root, 'back', ...names);
const large = (): string => join(sandbox.root, 'large');
const environment = () => ({ SVC_API_ENDPOINT: `${proxy.url}/v2`, SVC_AUTH_TOKEN: world.alice.token });
const svcfs = (...args: string[]) => sandbox.svcfs(args, { env: environment() });
const isStorage = ({ path }: PassedRequest) => !path.startsWith('/v2');

async function done(...args: string[]): Promise<string> {
  const { code, stderr, stdout } = await svcfs(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The entry at these names. */
async function entry(...names: string[]): Promise<EntryRecord | undefined> {
  let found: EntryRecord | undefined;
  let parent = world.root;
  for (const name of names) {
    found = await world.api.files.find({ parent, name });
    parent = found?.id ?? 'none';
  }
  return found;
}

/** The requests of the API since the last time, but for that which asks what the service offers. */
function taken(): Readonly<Record<string, number>> {
  proxy.requests.splice(0, proxy.requests.length, ...proxy.requests.filter((each) => !isStorage(each)));
  const counts = Object.entries(proxy.taken());
  return Object.fromEntries(counts.filter(([call]) => call !== 'GET /'));
}

/** Makes a plan and runs it: as many requests as it told. */
async function asPlanned(...args: string[]): Promise<{ readonly requests: number; readonly looks: number }> {
  const planned = JSON.parse(await done(...args, '--dry-run', '--json'));
  taken();
  await done(...args);
  const counts = Object.values(taken());
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(planned.requests);
  return planned;
}

describe('a tree', () => {
  test('goes up by a request for each file and folder, and comes back the same', async () => {
    await shell(`cd ${sandbox.root}/here; mkdir -p run/deep/__cache; cd run; : > empty
      for i in $(seq 40); do seq $i > f$i; done; cp f7 deep/x; echo z > deep/__cache/z; cp ${large()} deep/large`);
    const planned = await asPlanned('cp', '-r', here('run'), at());
    // Files, folders, and 2 and a link for each of six parts of the large one.
    expect(planned).toMatchObject({ looks: 2, requests: 2 + 3 + 43 + 8 });
    await asPlanned('cp', '-r', at('run'), back());
    await shell(`diff -r ${here('run')} ${back('run')}`);
    expect((await readdir(back('run'))).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('is merged with what is there: -n, -u and --checksum say what is replaced', async () => {
    await shell(`cd ${here()}; mkdir m; echo old > m/a; echo same > m/b; touch -d 2001-01-01 m/a m/b`);
    await done('cp', '-r', here('m'), at());
    const { id } = (await entry('m', 'a')) as FileRecord;
    await world.api.files.edit(id, { metadata: { sample: 'P1' }, tags: ['t'] });
    await shell(
      `echo renewed > ${here('m/a')}; echo more > ${here('m/c')}; touch -d 2001-01-01 ${here('m/a')}`,
    );
    const copied = async (...args: string[]) =>
      (await done('cp', '-rv', ...args, here('m'), at()))
        .split('\n')
        .filter((line) => line.startsWith('copied'))
        .map((line) => line.replace(/'.*\/(.)' -> .*/, '$1'));
    const sizeOfA = async () => ((await entry('m', 'a')) as FileRecord).sizeBytes;
    expect(await copied('-n')).toEqual(['copied c']);
    // Set back, it is older than the one that is there.
    expect(await copied('-u')).toEqual([]);
    expect(await sizeOfA()).toBe(4);
    expect(await copied('--checksum')).toEqual(['copied a']);
    expect(await entry('m', 'a')).toMatchObject({ sizeBytes: 8, metadata: { sample: 'P1' }, tags: ['t'] });
    await shell(`echo newer > ${here('m/a')}; touch -d 2031-01-01 ${here('m/a')}`);
    expect(await copied('-u')).toEqual(['copied a']);
    expect(await copied()).toHaveLength(3);
  });

  test('comes down over what is there in the same way, and by the same name with -T', async () => {
    await shell(`cd ${here()}; mkdir d; echo theirs > d/a; echo same > d/b; mkdir -p ../back/d; cd ../back/d
      echo ours > a; chmod 600 a; echo same > b; ln -s a link`);
    await done('cp', '-r', here('d'), at());
    await done('cp', '-rn', at('d'), back());
    expect(await readFile(back('d/a'), 'utf8')).toBe('ours\n');
    const { stdout } = await svcfs('cp', '-rvT', '--checksum', at('d'), back('d'));
    expect(stdout).toContain("left alone (the same content is there) '");
    expect(await readFile(back('d/a'), 'utf8')).toBe('theirs\n');
    expect((await stat(back('d/a'))).mode & 0o777).toBe(0o600);
    // Through a link of this machine.
    await done('cp', at('d', 'b'), back('d/link'));
    expect(await readFile(back('d/a'), 'utf8')).toBe('same\n');
  });

  test('-a keeps modes and times, of files in parts too', async () => {
    await shell(`cd ${here()}; mkdir p; echo x > p/a; cp ${large()} p/large; chmod 640 p/a; chmod 755 p/large
      touch -d '2011-02-03 04:05:06.789Z' p/a p/large`);
    await asPlanned('cp', '-a', here('p'), at());
    await done('cp', '-a', at('p'), back());
    for (const [name, mode] of [
      ['a', 0o640],
      ['large', 0o755],
    ] as const) {
      const facts = await stat(back('p', name));
      expect(facts.mode & 0o777).toBe(mode);
      expect(facts.mtime.toISOString()).toBe('2011-02-03T04:05:06.789Z');
    }
  });
});

describe('what cannot be copied', () => {
  test('is told for each, and the others are', async () => {
    await shell(`cd ${here()}; mkdir odd; cd odd; echo x > good; ln -s good link; mkfifo pipe
      echo y > "$(printf 'b\\377d')"; mkdir "$(printf 'n\\377')"`);
    const { code, stderr } = await svcfs('cp', '-r', here('odd'), here('none'), at());
    expect(code).toBe(1);
    const told = stderr.split('\n').map((line) => line.replace(here(), ''));
    expect(told).toContainEqual(
      expect.stringMatching(/^svcfs: \/odd\/link: a symbolic link, which is not followed/),
    );
    expect(told).toContain('svcfs: /odd/pipe: a named pipe: only files and folders are copied');
    expect(told.filter((line) => line.includes('its name is no UTF-8'))).toHaveLength(2);
    expect(told).toContain('svcfs: /none: no such file or directory');
    const { id } = (await entry('odd')) as FolderRecord;
    const { items } = await world.api.files.list(id, { offset: 0, limit: 100 });
    expect(items.map(({ name }) => name)).toEqual(['good']);
  });

  test('neither are moves; a folder takes -r, a directory must be there', async () => {
    const usage = async (...args: string[]) => (await svcfs(...args)).stderr;
    expect(await usage('mv', here('m/a'), at())).toContain('copy it (svcfs cp), then remove it');
    expect(await usage('cp', here('m'), at())).toContain('a folder: -r copies it with all below');
    expect(await usage('cp', here('m/a'), back('x'))).toContain('cp(1) copies on this machine');
    expect(await usage('cp', at('m', 'a'), at('m', 'b'), back('none'))).toContain('no such directory');
    expect(await usage('cp', '-T', at('m', 'a'), back('m'), back())).toContain('-T takes one source');
  });

  test('a file that changes while it is read is not made', async () => {
    await shell(`cp ${large()} ${here('changing')}`);
    const held = deferred();
    proxy.hold = async (request) => (request.method === 'PUT' ? held.promise : undefined);
    const command = sandbox.start(['cp', here('changing'), at()], environment());
    await waitUntil(() => proxy.requests.some(({ method }) => method === 'PUT'));
    await appendFile(here('changing'), 'more');
    held.resolve();
    expect(await command.exited()).toBe(1);
    expect(command.stderr).toContain('it changed while it was read: copy it when nothing writes to it');
    expect(await entry('changing')).toBeUndefined();
  });

  test.runIf(MAY_MOUNT)('on a full disk nothing is left, and small files still come', async () => {
    const disk = await SmallDisk.mount(16 * MIB);
    try {
      const { code, stderr } = await svcfs('cp', at('p', 'large'), at('m', 'a'), disk.path);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('no space left on device'),
      });
      expect(await readdir(disk.path)).toEqual(['a']);
    } finally {
      await disk.unmount();
    }
  });
});

describe('an end in the middle', () => {
  /** Begins a copy whose store answers `passing` requests and no more. */
  async function begun(passing: number, method: string, ...args: string[]) {
    const isOurs = (request: PassedRequest) => isStorage(request) && request.method === method;
    const held = deferred();
    proxy.requests.splice(0);
    proxy.hold = async (request) =>
      isOurs(request) && proxy.requests.filter(isOurs).length > passing ? held.promise : undefined;
    const command = sandbox.start(args, environment());
    await waitUntil(() => proxy.requests.filter(isOurs).length > passing);
    return { command, held };
  }
  const bytesOf = (method: string, which: 'sentBytes' | 'receivedBytes') =>
    proxy.requests
      .filter((each) => isStorage(each) && each.method === method)
      .reduce((sum, each) => sum + each[which], 0);
  const recorded = async (): Promise<number> =>
    Number(
      await shell(`cat ${sandbox.root}/state/svcfs/transfers/*/journal | grep -c '"type":"part"' || true`),
    );

  test.each([['SIGKILL'], ['SIGINT']] as const)(
    '%s of an upload: the same command sends the rest',
    async (signal) => {
      const args = ['cp', large(), at(`up-${signal}`)];
      const { command, held } = await begun(2, 'PUT', ...args);
      await waitUntil(async () => (await recorded()) === 2);
      command.signal(signal);
      expect(await command.exited()).not.toBe(0);
      held.resolve();
      proxy.hold = async () => undefined;
      if (signal === 'SIGINT')
        expect(command.stderr).toMatch(
          /: not done: a part of it.*\nsvcfs: 0 copied, 1 not sent.*\nsvcfs: interrupted\n$/s,
        );
      proxy.requests.splice(0);
      await done(...args);
      expect(bytesOf('PUT', 'sentBytes')).toBe(LARGE_BYTES - 2 * 16 * MIB);
      expect(taken()).toMatchObject({ 'GET /upload/multipart/ID': 1 });
      expect(await readdir(join(sandbox.root, 'state/svcfs/transfers'))).toEqual([]);
      expect(await done('cp', '-v', '--checksum', large(), args[2] ?? '')).toContain(
        'the same content is there',
      );
    },
  );

  test('kill -9 of a download: nothing is under the name, and the same command fetches the rest', async () => {
    const args = ['cp', at('p', 'large'), back('down')];
    const { command, held } = await begun(12, 'GET', ...args);
    const parts = async () => (await readdir(back())).filter((name) => name.startsWith('.down.'));
    const partBytes = async () => (await stat(back((await parts())[0] ?? 'none'))).size;
    await waitUntil(async () => (await parts()).length === 1 && (await partBytes()) > 4 * MIB);
    command.signal('SIGKILL');
    await command.exited();
    held.resolve();
    proxy.hold = async () => undefined;
    expect(await readdir(back())).not.toContain('down');
    const there = await partBytes();
    proxy.requests.splice(0);
    await done(...args);
    // One byte more, for the validator of the store.
    expect(bytesOf('GET', 'receivedBytes')).toBeLessThanOrEqual(LARGE_BYTES - there + 1);
    expect(await parts()).toEqual([]);
    await shell(`cmp ${large()} ${back('down')}`);
  });
});
