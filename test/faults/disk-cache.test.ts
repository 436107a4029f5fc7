/** The disk cache when things go wrong: a read answers the right bytes or those of the service, never others. */
import { appendFile, mkdir, open, readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SeenRequest } from '../support/fault-proxy.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { mustRun, run, shell } from '../support/run.ts';
import { MAY_MOUNT, SmallDisk } from '../support/small-disk.ts';
import { waitUntil } from '../support/wait-until.ts';

const MIB = 1024 * 1024;
const BIG_BYTES = 40 * MIB + 99;

let world: FaultWorld;
let big: string;
let cache: string;
beforeAll(async () => {
  world = await FaultWorld.start();
  big = world.outside('big');
  cache = world.outside('cache');
  await shell(`head -c ${BIG_BYTES} /dev/urandom > ${big}; cp ${big} ${world.own('big')}`);
});
afterEach(() => world.proxy.heal());
afterAll(() => world?.clean());

/** Ranges of content, and the byte that asks a store for its validator is none. */
const isContent = ({ method, headers }: SeenRequest): boolean =>
  method === 'GET' && headers['range'] !== undefined && headers['range'] !== 'bytes=0-0';

const contentRequests = (): number => world.proxy.requests.filter(isContent).length;

async function cached(path = world.own('big')): Promise<string> {
  const { stdout } = await world.sandbox.svcfs(['cache', path]);
  return stdout.trim();
}

async function filesOf(kind: 'data' | 'index'): Promise<readonly string[]> {
  const names = await readdir(cache, { recursive: true });
  return names.filter((name) => name.endsWith(`.${kind}`)).map((name) => join(cache, name));
}

async function warm(): Promise<void> {
  const { code, stderr } = await world.sandbox.svcfs(['warmup', world.own('big')]);
  expect(code, stderr).toBe(0);
}

const compare = (): Promise<string> => mustRun('cmp', [big, world.own('big')]);

describe('the mount killed while it fills its cache', () => {
  it('the next one reads what is there, fetches the rest, and all of it is right', async () => {
    await world.remount(['--cache-dir', cache]);
    world.proxy.inject({ kind: 'stall', afterBytes: 2 * MIB }, { when: isContent, times: 3 });
    const warmup = world.sandbox.start(['warmup', world.own('big')]);
    await waitUntil(async () => {
      const percent = Number.parseInt(await cached(), 10);
      return percent > 10 && percent < 100;
    });
    await world.killMount();
    expect(await warmup.exited()).not.toBe(0);
    world.proxy.heal();
    await world.mount(['--cache-dir', cache]);
    expect(Number.parseInt(await cached(), 10)).toBeGreaterThan(10);
    await compare();
    await warm();
    const before = contentRequests();
    await world.remount(['--cache-dir', cache]);
    await compare();
    expect(contentRequests()).toBe(before);
  });
});

describe('files of the cache that someone spoiled', () => {
  const spoilers: readonly (readonly [string, (data: string, index: string) => Promise<unknown>])[] = [
    [
      'a byte is another',
      (data) => shell(`printf x | dd of=${data} bs=1 seek=12345678 conv=notrunc status=none`),
    ],
    ['the blocks are cut', (data) => truncate(data, 20 * MIB + 7)],
    ['the blocks are zeros', (data) => shell(`truncate -s 0 ${data}; truncate -s ${BIG_BYTES} ${data}`)],
    ['the blocks have more behind them', (data) => appendFile(data, 'more')],
    ['the index is cut', (_, index) => truncate(index, 6000)],
    ['the index is garbage', (_, index) => shell(`head -c 30000 /dev/urandom > ${index}`)],
    [
      'the index says of everything that it is there',
      async (_, index) => {
        const handle = await open(index, 'r+');
        await handle.write(Buffer.alloc(8 * 2600, 1), 0, 8 * 2600, 4096);
        await handle.close();
      },
    ],
  ];

  it.each(spoilers)(
    '%s: the bytes that are read are right, and the cache is whole again',
    async (_, spoil) => {
      await world.remount(['--cache-dir', cache]);
      await warm();
      const [data = '', index = ''] = [...(await filesOf('data')), ...(await filesOf('index'))];
      // Under a mount that has it open, and under one that opens it.
      await spoil(data, index);
      await compare();
      await world.remount(['--cache-dir', cache]);
      await compare();
      await warm();
      expect(await cached()).toMatch(/^100 %/);
    },
  );
});

describe('two mounts of one cache directory', () => {
  let second: string;
  beforeAll(async () => {
    second = world.outside('second');
    await mkdir(second);
    world.sandbox.alsoMounts(second);
    await world.remount(['--cache-dir', cache, '--cache-size', '64M']);
    const { code, stderr } = await world.sandbox.svcfs(
      ['mount', second, '--cache-dir', cache, '--cache-size', '64M'],
      { env: { SVC_API_ENDPOINT: `${world.proxy.origin}/v2`, SVC_AUTH_TOKEN: world.token } },
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });

  const inSecond = (name: string): string => world.own(name).replace(world.sandbox.mountPoint, second);

  it('share what either fetched, at the same time too', async () => {
    await world.sandbox.svcfs(['cache', 'evict', '--all', second]);
    await Promise.all([compare(), mustRun('cmp', [big, inSecond('big')])]);
    await warm();
    expect(await cached(inSecond('big'))).toMatch(/^100 %/);
    expect(await filesOf('data')).toHaveLength(1);
    expect(await filesOf('index')).toHaveLength(1);
  });

  it('evict under each other, and go on reading the right bytes', async () => {
    const evictions = (async () => {
      for (let round = 0; round < 10; round += 1) await run('sh', ['-c', `rm -f ${cache}/entries/*/*`]);
    })();
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([
        compare(),
        mustRun('cmp', [big, inSecond('big')]),
        world.sandbox.svcfs(['cache', 'evict', '--all', second]),
        world.sandbox.svcfs(['cache', 'evict', inSecond('big')]),
      ]);
    }
    await evictions;
    await warm();
    expect(await cached()).toMatch(/^100 %/);
  });
});

describe.skipIf(!MAY_MOUNT)('a disk that gets full', () => {
  let disk: SmallDisk;
  beforeAll(async () => {
    disk = await SmallDisk.mount(32 * MIB);
  });
  afterAll(() => disk.unmount());

  it('keeps reading right, tells it, and is used again when there is room', async () => {
    await world.remount(['--cache-dir', join(disk.path, 'cache'), '--cache-min-free', '0']);
    await disk.fill(5 * MIB);
    await compare();
    await waitUntil(async () =>
      /full|not added \(no room/.test((await world.sandbox.svcfs(['status'])).stdout),
    );
    const { code, stderr } = await world.sandbox.svcfs(['warmup', world.own('big')]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/does not fit/) });
    await disk.empty();
    await mustRun('cp', [world.readOnly('file'), world.outside('file')]);
    await waitUntil(
      async () => {
        await world.sandbox.svcfs(['warmup', world.readOnly('file')]);
        return /^100 %/.test(await cached(world.readOnly('file')));
      },
      { timeoutMs: 30_000 },
    );
    await world.remount();
  });
});
