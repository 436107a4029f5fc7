/** The main job, end to end, on real genomics files: nothing between the shell and the service's disk is faked. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeGenes } from '../../src/service/demo/genes.ts';
import { makeGenome } from '../../src/service/demo/genome.ts';
import { writeTrioExomes } from '../../src/service/demo/trio-exomes.ts';
import { makeVariants } from '../../src/service/demo/variants.ts';
import { DIALECT } from '../support/dialect.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { mustRun, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

const MEBIBYTE = 1024 * 1024;
const PROJECT = 'projects/demo/rna-seq-study';
const VOLUME = 'volumes/demo/results';

let served: ServedMount;
/** The same files on this machine's disk and, after the first test, in the mount. */
let local: string;
let remote: string;

beforeAll(async () => {
  served = await ServedMount.start();
  local = join(served.sandbox.root, 'local');
  remote = served.path(PROJECT, 'incoming');
  await mkdir(local);
  const genome = makeGenome();
  const genes = makeGenes(genome);
  await writeTrioExomes(local, { genome, genes, variants: makeVariants(genome, genes) });
});

afterAll(() => served?.clean());

const sums = (directory: string): Promise<string> =>
  shell('find . -type f -print0 | sort -z | xargs -0 sha256sum', { cwd: directory });

test('a tree copied in is equal on both sides', async () => {
  await mustRun('cp', ['-r', local, remote]);
  expect(await sums(remote)).toBe(await sums(local));
  expect((await served.sandbox.statistics()).api.dialect).toBe(DIALECT);
});

test('the tree is the same for a mount that has never seen it', async () => {
  await served.unmount();
  await served.mount();
  expect(await sums(remote)).toBe(await sums(local));
});

test('samtools reads a region through the index and fetches little more than that', async () => {
  const view = ['view', '-c', 'child/child.bam', 'chr20:100000-130000'];
  const expected = await mustRun('samtools', view, { cwd: local });
  expect(Number(expected)).toBeGreaterThan(0);
  expect(await mustRun('samtools', view, { cwd: remote })).toBe(expected);
});

test('samtools faidx writes the index it would write on a disk', async () => {
  await shell('rm reference/genome.fa.fai && samtools faidx reference/genome.fa', { cwd: remote });
  expect(await mustRun('cat', ['reference/genome.fa.fai'], { cwd: remote })).toBe(
    await mustRun('cat', ['reference/genome.fa.fai'], { cwd: local }),
  );
});

test('samtools sorts to the mount', async () => {
  const sort = ['sort', '-n', '--no-PG', '-o', 'by-name.bam', 'mother/mother.bam'];
  await mustRun('samtools', sort, { cwd: remote });
  await mustRun('samtools', sort, { cwd: local });
  await mustRun('samtools', ['quickcheck', 'by-name.bam'], { cwd: remote });
  expect(await mustRun('sha256sum', ['by-name.bam'], { cwd: remote })).toBe(
    await mustRun('sha256sum', ['by-name.bam'], { cwd: local }),
  );
});

test('rsync -a in and out again, and finds nothing to do the second time', async () => {
  const there = served.path(PROJECT, 'mirror');
  const back = join(served.sandbox.root, 'back');
  const [source, copy] = [`${local}/`, `${back}/`];
  await mustRun('rsync', ['-a', source, `${there}/`]);
  await mustRun('rsync', ['-a', `${there}/`, copy]);
  expect(await sums(back)).toBe(await sums(local));
  expect(await mustRun('rsync', ['-ai', source, `${there}/`])).toBe('');
  await served.unmount();
  await served.mount();
  expect(await mustRun('rsync', ['-ai', `${there}/`, copy])).toBe('');
});

test('metadata set on every file is found again after a remount', async () => {
  await shell('find . -type f -exec setfattr -n user.batch -v 2026-11 {} +', { cwd: remote });
  await served.unmount();
  await served.mount();
  const files = (await shell('find . -type f', { cwd: remote })).trim().split('\n');
  const found = await shell('getfattr -R --only-values -n user.batch . 2>/dev/null || true', { cwd: remote });
  expect(files.length).toBeGreaterThan(20);
  expect(found).toBe('2026-11'.repeat(files.length));
});

test('a BAM moved to the volume and back is an alias of the same bytes, and none passed the mount', async () => {
  const bam = join(remote, 'father/father.bam');
  const object = served.path(VOLUME, 'father.bam');
  const again = join(remote, 'father/again.bam');
  const [expected] = (await mustRun('sha256sum', ['father/father.bam'], { cwd: local })).split(' ');

  const moved = await served.counting(async () => {
    await mustRun('mv', [bam, object]);
    await mustRun('mv', [object, again]);
  });
  expect(moved.storageBytes).toBe(0);
  for (const path of [object, again]) {
    expect((await mustRun('sha256sum', [path])).split(' ')[0]).toBe(expected);
  }
  const alias = await mustRun('getfattr', ['--only-values', '-n', 'user.svc.alias', again]);
  expect(alias).toContain('father.bam');
});

test('cp between project and volume moves no byte through the mount', async () => {
  const source = join(remote, 'mother/mother.bam');
  const object = served.path(VOLUME, 'copies', 'mother.bam');
  const back = join(remote, 'mother/copy.bam');
  const copied = await served.counting(async () => {
    await shell(
      `mkdir -p "$(dirname "${object}")" && cp "${source}" "${object}" && cp "${object}" "${back}"`,
    );
  });
  expect(copied.storageBytes).toBe(0);
  expect(await mustRun('cat', [back]).then((text) => text.length)).toBeGreaterThan(0);
  await mustRun('cmp', [source, back]);
  await mustRun('cmp', [source, object]);
});

test('ls -l of 250 files costs three requests, and none when repeated', async () => {
  await served.unmount();
  await served.mount();
  const folder = served.path(PROJECT, 'intervals');
  await mustRun('stat', [folder]);
  const cold = await served.counting(() => mustRun('ls', ['-l', folder]));
  const warm = await served.counting(() => mustRun('ls', ['-l', folder]));
  expect([cold.apiRequests, warm.apiRequests]).toEqual([3, 0]);
});

test('100 MiB go up in parts, at least four of them at once', async () => {
  const proxy = await FaultProxy.start(new URL(served.endpoint).origin);
  onTestFinished(() => proxy.close());
  proxy.inject(
    { kind: 'slow-uplink', bytesPerSecond: 8 * MEBIBYTE },
    { when: ({ method }) => method === 'PUT' },
  );
  await served.unmount();
  await served.mount(['--endpoint', `${proxy.origin}/v2`]);
  const big = join(served.sandbox.root, 'big.bin');
  await mustRun('dd', ['if=/dev/urandom', `of=${big}`, 'bs=1M', 'count=100', 'status=none']);
  await mustRun('cp', [big, served.path(PROJECT, 'big.bin')]);
  await mustRun('cmp', [big, served.path(PROJECT, 'big.bin')]);
  const { maxPartsInFlight, storagePutBytes } = await served.counters();
  expect(maxPartsInFlight).toBeGreaterThanOrEqual(4);
  expect(storagePutBytes).toBeGreaterThanOrEqual(100 * MEBIBYTE);
});
