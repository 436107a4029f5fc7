/** The disk cache of a mount: what it saves, and the commands about it. */
import { access, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { mustRun, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { MAY_MOUNT, SmallDisk } from '../support/small-disk.ts';
import { waitUntil } from '../support/wait-until.ts';

const MIB = 1024 * 1024;
const BIG_BYTES = 24 * MIB + 1234;
const [MAJOR = 0, MINOR = 0] = release().split('.').map(Number);
const MAY_PASS_THROUGH = MAY_MOUNT && (MAJOR > 6 || (MAJOR === 6 && MINOR >= 9));

let served: ServedMount;
let source: string;
let project: string;
let big: string;
let cacheArgs: readonly string[];

beforeAll(async () => {
  served = await ServedMount.start();
  const { root } = served.sandbox;
  source = join(root, 'big');
  await shell(`head -c ${BIG_BYTES} /dev/urandom > ${source}`);
  project = served.path('projects', 'demo', 'trio-exomes');
  big = join(project, 'big');
  await shell(`cp ${source} ${big}`);
  cacheArgs = ['--cache-dir', join(root, 'cache')];
});

afterAll(() => served?.clean());

/** Another mount of the same account, whose kernel caches are empty. */
async function remount(...args: readonly string[]): Promise<void> {
  await served.unmount();
  await served.mount(args);
}

async function svcfs(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await served.sandbox.svcfs(args);
  if (code !== 0) throw new Error(`svcfs ${args.join(' ')}: ${code} ${stderr}`);
  return stdout;
}

/** Of a text for Prometheus. */
function namesIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith('# TYPE '));
}

/** How often the kernel asks for bytes during `work`, without those of asking that. */
async function countReads(work: () => Promise<unknown>): Promise<number> {
  const count = async (): Promise<number> =>
    (await served.sandbox.statistics()).operations['READ']?.answered ?? 0;
  const [before, again] = [await count(), await count()];
  await work();
  return (await count()) - again - (again - before);
}

describe('what was read once', () => {
  test('is read from the disk by the next mount, without asking the service for content', async () => {
    await remount(...cacheArgs);
    const cold = await served.counting(() => mustRun('cmp', [source, big]));
    expect(cold.storageBytes).toBeGreaterThanOrEqual(BIG_BYTES);
    await remount(...cacheArgs);
    await shell(`ls -l ${project}`);
    const { apiCalls: before } = await served.counters();
    const warm = await served.counting(() => mustRun('cmp', [source, big]));
    const { apiCalls: after } = await served.counters();
    expect(warm.storageBytes).toBe(0);
    const links = 'GET /v2/files/:file_id/download_info';
    expect(after[links]).toBe(before[links]);
    expect((await served.sandbox.statistics()).diskCache).toMatchObject({ missedBytes: 0 });
  });

  test('is in the page cache as long as the version is the same: opening it again costs no read', async () => {
    await remount();
    expect(await countReads(() => mustRun('cmp', [source, big]))).toBeGreaterThan(10);
    // Other programs of this machine may have the kernel drop pages meanwhile.
    await waitUntil(async () => (await countReads(() => mustRun('cmp', [source, big]))) === 0);
  });

  test('of a volume object and of an alias is not fetched again', async () => {
    const results = served.path('volumes', 'demo', 'results');
    await shell(`cp ${big} ${results}/object && cp ${results}/object ${project}/alias`);
    await remount(...cacheArgs);
    for (const path of [join(results, 'object'), join(project, 'alias')])
      await mustRun('cmp', [source, path]);
    await remount(...cacheArgs);
    const object = await served.counting(() => mustRun('cmp', [source, join(results, 'object')]));
    expect(object.storageBytes).toBe(0);
    // Its validator is known once it was asked for something.
    const alias = await served.counting(() => mustRun('cmp', [source, join(project, 'alias')]));
    expect(alias.storageBytes).toBeLessThan(BIG_BYTES / 4);
  });
});

describe('svcfs warmup', () => {
  test('fetches folders and files into the cache, once', async () => {
    await remount('--cache-dir', join(served.sandbox.root, 'warm'));
    const first = await served.counting(() => svcfs('warmup', join(project, 'child'), big));
    expect(first.storageBytes).toBeGreaterThan(BIG_BYTES);
    const again = await served.counting(async () => {
      const result = JSON.parse(await svcfs('warmup', '--json', join(project, 'child'), big));
      expect(result).toMatchObject({ failed: 0, failures: [], progress: { fetchedBytes: 0 } });
      expect(result.progress.doneFiles).toBe(result.progress.foundFiles);
    });
    expect(again.storageBytes).toBe(0);
    // Its facts may be asked for, its bytes are here.
    expect((await served.counting(() => mustRun('cmp', [source, big]))).storageBytes).toBe(0);
  });

  test('takes the names from a list, and says what could not be fetched', async () => {
    await remount('--cache-dir', join(served.sandbox.root, 'listed'));
    const list = join(served.sandbox.root, 'list');
    // As Windows ends lines, over a link into the mount, and with what is in no mount between them.
    const link = join(served.sandbox.root, 'link-to-project');
    await symlink(project, link);
    const names = [join(link, 'README.md'), '', '  ', list, join(project, 'absent')];
    await writeFile(list, names.map((name) => `${name}\r\n`).join(''));
    const { code, stdout, stderr } = await served.sandbox.svcfs(['warmup', '--list', list]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/1 file, .* cached/);
    expect(stderr).toMatch(/projects\/demo\/trio-exomes\/absent: no such file or directory$/m);
    expect(stderr).toMatch(/list: not in a mount of svcfs\n/);
    expect(stderr).toMatch(/2 files could not be cached/);
    expect(await svcfs('cache', join(link, 'README.md'))).toMatch(/^100 %/);
  });

  test('goes on after it was interrupted', async () => {
    const directory = join(served.sandbox.root, 'interrupted');
    await remount('--cache-dir', directory);
    const warmup = served.sandbox.start(['warmup', big]);
    warmup.signal('SIGINT');
    await warmup.exited();
    await svcfs('warmup', big);
    expect(await svcfs('cache', big)).toMatch(/^100 %/);
  });

  test('says so when the mount has no disk cache', async () => {
    await remount();
    for (const args of [['warmup', big], ['cache'], ['cache', 'evict', '--all']]) {
      const { code, stderr } = await served.sandbox.svcfs(args);
      expect({ args, code, stderr }).toEqual({
        args,
        code: 1,
        stderr: expect.stringMatching(/has no disk cache; mount with --cache-dir\n$/),
      });
    }
  });

  test('does not begin what the cache cannot hold', async () => {
    await remount('--cache-dir', join(served.sandbox.root, 'tight'), '--cache-size', '16M');
    const { code, stderr } = await served.sandbox.svcfs(['warmup', big]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/raise --cache-size/) });
  });
});

test('svcfs cache tells how much is cached and how much it helps, and evicts; metrics tell the same', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  await remount(...cacheArgs, '--metrics', address);
  await svcfs('warmup', big);
  await mustRun('cmp', [source, big]);
  expect(await svcfs('cache')).toMatch(/24\.0 MiB \(100 %\) of 24\.0 MiB came from it/);
  // Of the mount point the same is told, and no file is looked for.
  const requests = await served.counting(async () =>
    expect(await svcfs('cache', served.sandbox.mountPoint)).toBe(await svcfs('cache')),
  );
  expect(requests.apiRequests).toBe(0);
  expect(await svcfs('cache', big)).toMatch(/^100 % {2}24\.0 MiB of 24\.0 MiB/);
  expect(await svcfs('status')).toMatch(/disk cache: .* files; /);
  expect(await svcfs('cache', 'evict', big)).toMatch(/24\.\d MiB of disk space freed/);
  expect(await svcfs('cache', big)).toMatch(/^ {2}0 %/);
  await svcfs('cache', 'evict', '--all');
  expect(await svcfs('cache')).toMatch(/^0 B .*; 0 files/);
  const metrics = await readFile(served.path('.svcfs', 'metrics'), 'utf8');
  expect(metrics).toMatch(/^svcfs_mount_disk_cache_entries 0$/m);
  expect(metrics).toMatch(/^svcfs_mount_disk_cache_asked_bytes_total\{disk="hit"\} \d{8}$/m);
  expect(metrics).toMatch(/^svcfs_mount_operations_total\{operation="READ",outcome="done"\} \d+$/m);
  expect(metrics).toMatch(
    /^svcfs_mount_api_request_duration_seconds_count\{call="GET \/files",status="200"\} \d+$/m,
  );
  const scraped = await (await fetch(`http://${address}/metrics`)).text();
  expect(namesIn(scraped)).toEqual(namesIn(metrics));
});

describe('a cache directory that cannot be used is told, and the mount works without it:', () => {
  async function mountWith(args: readonly string[]): Promise<string> {
    await served.unmount();
    const { code, stderr } = await served.sandbox.svcfs(['mount', served.sandbox.mountPoint, ...args], {
      env: { SVC_API_ENDPOINT: served.endpoint, SVC_AUTH_TOKEN: served.token },
    });
    expect(code).toBe(0);
    await mustRun('cmp', [source, big]);
    const { stdout } = await served.sandbox.svcfs(['status']);
    return `${stderr}${stdout}`;
  }

  const at = (name: string): string => join(served.sandbox.root, name);

  test('its parent is missing', async () => {
    const said = await mountWith(['--cache-dir', at('not/there')]);
    expect(said).toMatch(/no disk cache: .*not\/there: the directory that is to hold it does not exist/);
    expect(said).toMatch(/disk cache: none: /);
  });

  test('it is a file', async () => {
    await writeFile(at('file'), '');
    expect(await mountWith(['--cache-dir', at('file')])).toMatch(/no disk cache: .*file is not a directory/);
  });

  test('it holds something else', async () => {
    await mkdir(at('home-of-others'));
    await writeFile(join(at('home-of-others'), 'thesis.txt'), 'precious');
    expect(await mountWith(['--cache-dir', at('home-of-others')])).toMatch(
      /holds thesis\.txt and is no cache of svcfs/,
    );
  });

  test('it is of another version', async () => {
    await mkdir(at('future'));
    await writeFile(join(at('future'), 'svcfs-cache.json'), '{"format":2}');
    expect(await mountWith(['--cache-dir', at('future')])).toMatch(
      /of another version of svcfs \(format 2, this one keeps format 1\)/,
    );
  });

  test.skipIf(!MAY_MOUNT)('it cannot be written to', async () => {
    const disk = await SmallDisk.mount(MIB);
    onTestFinished(() => disk.unmount());
    await mustRun('mount', ['-o', 'remount,ro', disk.path]);
    expect(await mountWith(['--cache-dir', disk.path])).toMatch(/file system there is read-only/);
    await served.unmount();
    await served.mount();
  });

  test('it lies in the mount, or leads there', async () => {
    await symlink(served.sandbox.mountPoint, at('link'));
    for (const path of [served.path('cache'), join(at('link'), 'cache')])
      expect(await mountWith(['--cache-dir', path])).toMatch(
        /no disk cache: .* lies in the mount; .*--cache-dir/,
      );
  });

  test('its file system has no hard links', async () => {
    // That of another mount of svcfs.
    const second = await ServedMount.start();
    onTestFinished(() => second.clean());
    const inSecond = second.path('projects', 'demo', 'trio-exomes', 'cache');
    expect(await mountWith(['--cache-dir', inSecond])).toMatch(/no disk cache: .*has no hard links/);
    await expect(access(inSecond)).rejects.toThrow(/ENOENT/);
  });

  test('the disk has less free than is to be left', async () => {
    const said = await mountWith(['--cache-dir', at('greedy'), '--cache-min-free', '1000000T']);
    expect(said).toMatch(/nothing is added until there is room/);
    expect(said).toMatch(/full: nothing is added \(free space on its disk, or lower --cache-min-free\)/);
  });
});

describe.skipIf(!MAY_PASS_THROUGH)('a file wholly in the cache of a read-only mount', () => {
  beforeAll(async () => {
    await remount('--read-only', ...cacheArgs);
    await svcfs('warmup', big);
    // The first open has it checked, and does not wait long for that.
    await waitUntil(async () => (await countReads(() => mustRun('head', ['-c', '1', big]))) === 0);
  });

  test('is read by the kernel itself: from start to end, anywhere, mapped, and by several at once', async () => {
    const mapped = `
import mmap, random, sys
with open(sys.argv[1], 'rb') as ours, open(sys.argv[2], 'rb') as theirs:
    a = mmap.mmap(ours.fileno(), 0, prot=mmap.PROT_READ)
    for _ in range(200):
        at = random.randrange(${BIG_BYTES})
        theirs.seek(at)
        b = theirs.read(5000)
        assert a[at:at + 5000] == b
        ours.seek(at)
        assert ours.read(5000) == b
`;
    const read = (): Promise<unknown> =>
      Promise.all([mustRun('cmp', [source, big]), mustRun('python3', ['-c', mapped, big, source])]);
    expect(await countReads(read)).toBe(0);
    expect(await served.counting(read)).toMatchObject({ storageBytes: 0 });
  });

  test('goes on to be read that way when it is evicted while it is open', async () => {
    await shell(
      `exec 3< ${big}
      node ${new URL('../../dist/cli/main.js', import.meta.url).pathname} cache evict ${big} > /dev/null
      cmp ${source} - <&3`,
      { env: served.sandbox.env },
    );
    await mustRun('cmp', [source, big]);
  });

  test('is not taken from the cache once a byte of it was changed', async () => {
    await svcfs('warmup', big);
    const data = (await shell(`find ${cacheArgs[1]} -name '*.data' -size +20M`)).trim();
    await shell(`printf 'wrong' | dd of=${data} bs=1 seek=1000000 conv=notrunc status=none`);
    await remount('--read-only', ...cacheArgs);
    for (let round = 0; round < 3; round += 1) await mustRun('cmp', [source, big]);
  });
});
