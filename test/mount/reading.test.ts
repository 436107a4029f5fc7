/** The cost of reading to the service, by the pattern of the reader. */
import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { TestUser } from '../service/test-service.ts';
import { sampleBytes } from '../support/sample-bytes.ts';
import { ServedMount, type ServiceCounters } from '../support/served-mount.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const SIZE = 64 * MIB;
const content = sampleBytes(SIZE);

let served: ServedMount;
let folder: string;

beforeAll(async () => {
  served = await ServedMount.start();
  const user = new TestUser(served.endpoint, 'demo', served.token);
  folder = served.path('projects', (await user.project('Reading')).id);
  for (const name of ['stream.fastq', 'sample.bam', 'peeked.txt'])
    await writeFile(`${folder}/${name}`, content);
});

afterAll(() => served?.clean());

interface Cost {
  readonly ranges: number;
  readonly bytes: number;
  readonly apiRequests: number;
}

/** The cost of `work` on one file of a new mount; the way to the file is known by then. */
async function costOf(name: string, work: (file: FileHandle) => Promise<void>): Promise<Cost> {
  await served.unmount();
  await served.mount();
  const file = await open(`${folder}/${name}`, 'r');
  const before = await served.counters();
  await work(file);
  await file.close();
  return costBetween(before, await served.counters());
}

function costBetween(before: ServiceCounters, after: ServiceCounters): Cost {
  return {
    ranges: after.storageGets - before.storageGets,
    bytes: after.storageGetBytes - before.storageGetBytes,
    apiRequests: after.apiRequests - before.apiRequests,
  };
}

async function readThrough(file: FileHandle, start: number, end: number, pieceBytes: number): Promise<void> {
  const piece = Buffer.alloc(pieceBytes);
  for (let at = start; at < end; at += pieceBytes) {
    const { bytesRead } = await file.read(piece, 0, Math.min(pieceBytes, end - at), at);
    expect(content.compare(piece, 0, bytesRead, at, at + bytesRead)).toBe(0);
  }
}

describe('a file read from front to back', () => {
  it('comes once, in few ranges, over one link', async () => {
    const cost = await costOf('stream.fastq', (file) => readThrough(file, 0, SIZE, MIB));
    expect(cost.bytes).toBe(SIZE);
    expect(cost.ranges).toBeLessThanOrEqual(50);
    expect(cost.apiRequests).toBe(1);
  });

  it('costs nothing again, not even a link', async () => {
    const file = await open(`${folder}/stream.fastq`, 'r');
    const before = await served.counters();
    await readThrough(file, 0, SIZE, MIB);
    await file.close();
    expect(costBetween(before, await served.counters())).toMatchObject({
      ranges: 0,
      bytes: 0,
      apiRequests: 0,
    });
  });
});

describe('a file of which regions are read, as over an index', () => {
  const REGIONS = 40;
  const REGION_BYTES = 140 * KIB;

  it('costs about a range a region, and no more than twice the bytes', async () => {
    const cost = await costOf('sample.bam', async (file) => {
      for (let region = 0; region < REGIONS; region += 1) {
        const start = Math.floor((((region * 17) % REGIONS) + 0.37) * (SIZE / REGIONS));
        await readThrough(file, start, start + REGION_BYTES, 32 * KIB);
      }
    });
    expect(cost.ranges).toBeLessThanOrEqual(2 * REGIONS);
    expect(cost.apiRequests).toBe(1);
    const isRoot = process.geteuid?.() === 0; // who else cannot tell the kernel to read less ahead
    expect(cost.bytes).toBeLessThanOrEqual((isRoot ? 2 : 3) * REGIONS * REGION_BYTES);
  });
});

describe('a file that is peeked into', () => {
  it('costs little more than was read', async () => {
    const cost = await costOf('peeked.txt', (file) => readThrough(file, 0, 8 * KIB, 8 * KIB));
    expect(cost.ranges).toBe(1);
    expect(cost.bytes).toBeLessThanOrEqual(128 * KIB);
  });
});

describe('an alias whose object is replaced in its bucket', () => {
  it.each([
    ['the same', 0],
    ['another', 500_000],
  ])('by one of %s size is the new one for who opens it, pages of the kernel or not', async (name, more) => {
    const bucket = join(served.data, 'buckets', 'demo-results');
    const old = Buffer.alloc(3_000_000, 'a');
    await writeFile(join(bucket, name), old);
    const alias = `${folder}/${name}`;
    await rename(served.path('volumes', 'demo', 'results', name), alias);
    expect((await readFile(alias)).equals(old)).toBe(true);
    const replaced = Buffer.alloc(old.length + more, 'b');
    await writeFile(join(bucket, name), replaced);
    expect((await readFile(alias)).equals(replaced)).toBe(true);
  });
});

describe.runIf(process.geteuid?.() === 0)('the kernel', () => {
  it('reads far ahead in streams, and a little in what is read by region', async () => {
    const mounted = await mountedOn(served.sandbox.mountPoint);
    const setting = `/sys/class/bdi/0:${mounted?.deviceMinor}/read_ahead_kb`;
    for (const [name, kib] of [
      ['sample.bam', 48],
      ['stream.fastq', 2048],
    ] as const) {
      await (await open(`${folder}/${name}`, 'r')).close();
      expect(Number(await readFile(setting, 'utf8'))).toBe(kib);
    }
  });
});
