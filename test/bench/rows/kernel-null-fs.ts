import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mountedOn } from '../../../src/fuse/mount-table.ts';
import { mustRun, run } from '../../support/run.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { NEAR } from '../line.ts';
import { Child } from '../measure/child.ts';
import { dropPageCache } from '../measure/drop-page-cache.ts';
import { type LoadResult, load, loadOn } from '../measure/load.ts';
import { nativeProgram } from '../measure/native-program.ts';
import { usageOf } from '../measure/process-usage.ts';
import { type Contestant, type Family, mibPerSecond, type Sample, type Stage } from '../stage.ts';

export const NULL_READ = 'null file system, read';
export const NULL_WRITE = 'null file system, write';
const NULL_REQUESTS = 'null file system, requests, 1 thread';
/**
 * The asking and the answering program never work at the same time: on one processor, neither has to be woken for the
 * other.
 */
export const NULL_REQUESTS_ALONE = 'null file system, requests, 1 thread, on one processor';
export const NULL_REQUESTS_8 = 'null file system, requests, 8 threads';

export const C_THREADS = 'C, libfuse 3, threads';
export const C_ONE_THREAD = 'C, libfuse 3, one thread';
/** Reads and writes are answered as soon as they are read: a server of one thread can do no less. */
const C_BARE = 'C without a library, one thread';
export const FUSE_NATIVE = 'fuse-native';

/** So much that ticks of the clock by which CPU time is counted do not decide. */
const WRITE_BYTES = 8 * 1024 ** 3;
const REQUESTS = 40_000;
/** Before anything is measured: code that is compiled as it runs is slower at first, and a mount stays for days. */
const WARM_UP_REQUESTS = 10_000;

const SERVE = fileURLToPath(new URL('../null-fs/serve-null-fs.ts', import.meta.url));
const RUN_TYPESCRIPT = fileURLToPath(new URL('../../support/run-typescript.mjs', import.meta.url));
const NODE = [process.execPath, '--import', RUN_TYPESCRIPT, SERVE] as const;

/** The read-ahead of our mounts. */
const READ_AHEAD_KIB = 2048;

/**
 * The cost of the way to the kernel alone. A request is a read of 4 KiB that passes the page cache by. The kernel reads
 * equally far ahead of all.
 */
export const kernelNullFs: Family = {
  name: 'kernel-null-fs',
  lines: [NEAR],
  trialsARun: 3,
  rows: [
    { name: NULL_READ, unit: 'MiB/s' },
    { name: NULL_WRITE, unit: 'MiB/s' },
    { name: NULL_REQUESTS, unit: 'ops/s' },
    { name: NULL_REQUESTS_ALONE, unit: 'ops/s' },
    { name: NULL_REQUESTS_8, unit: 'ops/s' },
  ],
  contestants: (stage) => [
    nullFs(stage, 'svcfs', (mountPoint) => [...NODE, 'svcfs', mountPoint]),
    nullFs(stage, C_THREADS, (mountPoint) => [nativeProgram('null-fs'), mountPoint]),
    nullFs(stage, C_ONE_THREAD, (mountPoint) => [nativeProgram('null-fs'), mountPoint, '-s']),
    nullFs(stage, C_BARE, (mountPoint) => [nativeProgram('null-fs'), mountPoint, '--bare']),
    nullFs(stage, FUSE_NATIVE, (mountPoint) => [...NODE, 'fuse-native', mountPoint]),
  ],
};

function nullFs(
  { directory }: Stage,
  peer: string,
  commandOn: (mountPoint: string) => readonly string[],
): Contestant {
  return {
    peer,
    trial: async () => {
      await dropPageCache();
      const work = await mkdtemp(join(directory, 'null-'));
      const mountPoint = join(work, 'mnt');
      await mkdir(mountPoint);
      const [command = '', ...args] = commandOn(mountPoint);
      const child = await Child.start(command, args, { log: join(directory, 'null-fs.log') });
      try {
        await waitUntil(async () => (await mountedOn(mountPoint)) !== undefined, { what: peer });
        const file = join(mountPoint, 'file');
        await readAheadEqually(mountPoint, file);
        return await measureAll(file, child.pid);
      } finally {
        await run('umount', ['-l', mountPoint]);
        await child.end();
        await rm(work, { recursive: true, force: true });
      }
    },
  };
}

/** Once a request was answered: what a file system says when it begins could lower it again. */
async function readAheadEqually(mountPoint: string, file: string): Promise<void> {
  await stat(file);
  const mounted = await mountedOn(mountPoint);
  await writeFile(`/sys/class/bdi/0:${mounted?.deviceMinor}/read_ahead_kb`, String(READ_AHEAD_KIB));
}

async function measureAll(file: string, pid: number): Promise<Record<string, Sample>> {
  const sampleOf = async (work: () => Promise<LoadResult>): Promise<Sample> => {
    const before = await usageOf([pid]);
    const { bytes, operations, seconds } = await work();
    const after = await usageOf([pid]);
    const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
    const value = operations > 0 ? operations / seconds : mibPerSecond(bytes, seconds);
    return {
      value,
      ...(operations > 0 ? {} : { movedBytes: bytes }),
      cpuSeconds,
      peakRssMib: after.peakRssMib,
    };
  };
  await load('random', file, 4096, 1, WARM_UP_REQUESTS, 'direct');
  const rates = {
    [NULL_READ]: await sampleOf(() => load('read', file)),
    [NULL_WRITE]: await sampleOf(() => load('write', WRITE_BYTES, file)),
    [NULL_REQUESTS]: await sampleOf(() => load('random', file, 4096, 1, REQUESTS, 'direct')),
    [NULL_REQUESTS_8]: await sampleOf(() => load('random', file, 4096, 8, REQUESTS / 8, 'direct')),
  };
  await mustRun('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(pid)]);
  const alone = await sampleOf(() => loadOn(0, 'random', file, 4096, 1, REQUESTS, 'direct'));
  return { ...rates, [NULL_REQUESTS_ALONE]: alone };
}
