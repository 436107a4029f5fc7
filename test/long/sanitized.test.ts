/** The addon, built with AddressSanitizer and UndefinedBehaviorSanitizer: neither has anything to say. */
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FileWorker } from '../model/file-worker.ts';
import { anyOperationOnLinks } from '../model/operations.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { mustRun, run, shell } from '../support/run.ts';
import { amount, SEED } from './seeded.ts';

const STEPS = amount('LONG_SANITIZED_STEPS', 2000);
const STEPS_OF_A_FOLDER = 100;
/** On a busy machine. */
const BUILD_MS = 900_000;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOADER = new URL('../support/run-typescript.mjs', import.meta.url).href;
const DIGEST_MANY = join(ROOT, 'test/support/digest-many.ts');
const RECEIVE_OVER_TLS = fileURLToPath(new URL('../support/receive-over-tls.ts', import.meta.url));

let world: FaultWorld;
let reports: string;
let root: string;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  await mustRun('make', ['-s', '-C', join(ROOT, 'native'), 'sanitized'], { timeoutMs: BUILD_MS });
  world = await FaultWorld.start();
  await world.unmount();
  reports = world.outside('reports');
  await mkdir(reports);
  root = world.outside('sanitized');
  await layProgram();
  env = {
    LD_PRELOAD: (await mustRun('gcc', ['-print-file-name=libasan.so'])).trim(),
    // Node.js frees nothing at its end.
    ASAN_OPTIONS: `detect_leaks=0:log_path=${reports}/asan`,
    UBSAN_OPTIONS: `print_stacktrace=1:log_path=${reports}/ubsan`,
  };
}, BUILD_MS + 60_000);
afterAll(() => world?.clean());

/** The program finds its addon beside it. */
async function layProgram(): Promise<void> {
  await mkdir(join(root, 'native'), { recursive: true });
  for (const part of ['dist', 'src']) await cp(join(ROOT, part), join(root, part), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(root, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  await symlink(join(ROOT, 'native/build-sanitized'), join(root, 'native/build'));
}

async function mountSanitized(): Promise<void> {
  const program = join(root, 'dist/cli/main.js');
  // Without a disk cache the mount does not use the blocks of the addon.
  const args = ['mount', world.sandbox.mountPoint, '--cache-dir', world.outside('cache')];
  const { code, stderr } = await run(process.execPath, [program, ...args], {
    timeoutMs: 60_000,
    env: {
      ...world.sandbox.env,
      ...env,
      SVC_API_ENDPOINT: `${world.proxy.origin}/v2`,
      SVC_AUTH_TOKEN: world.token,
    },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

/** The sanitized addon, if the daemon has it. */
async function loaded(): Promise<readonly string[]> {
  const daemon = (await world.sandbox.processes()).find(({ command }) => command.includes('daemon.js'));
  const maps = await readFile(`/proc/${daemon?.pid}/maps`, 'utf8');
  const names = maps.matchAll(/\/build-sanitized\/(\w+)\.node$/gm);
  return [...new Set([...names].map(([, name = '']) => name))].sort();
}

async function reported(): Promise<string> {
  const names = await readdir(reports);
  return (await Promise.all(names.map((name) => readFile(join(reports, name), 'utf8')))).join('\n');
}

it('of a mount have nothing to report', { timeout: STEPS * 5000 + 300_000 }, async () => {
  await mountSanitized();
  for (let done = 0; done < STEPS; done += STEPS_OF_A_FOLDER) {
    const folder = world.own(`folder-${done}`);
    await mustRun('mkdir', [folder]);
    const worker = new FileWorker(folder);
    const seed = SEED + done;
    const operations = fc.sample(anyOperationOnLinks, { numRuns: STEPS_OF_A_FOLDER, seed });
    for (const operation of [...operations, ['closeAll'] as const]) await worker.do(operation);
    await worker.end();
  }
  // Large files go by other ways than small ones: spliced, in parts, by its digest.
  await shell(
    `head -c 50000000 /dev/urandom > ${world.outside('big')}; cp ${world.outside('big')} ${world.own('big')}`,
  );
  // The first reading fills the disk cache, and the second is answered from it.
  for (const _ of ['from the service', 'from the disk']) {
    expect(await world.unmount()).toMatchObject({ code: 0 });
    await mountSanitized();
    await shell(`cmp ${world.outside('big')} ${world.own('big')}`);
  }
  expect(await loaded()).toEqual(['svcfs']);
  expect(await world.unmount()).toMatchObject({ code: 0 });
  expect(await reported(), `MODEL_SEED=${SEED}`).toBe('');
});

it.each([4, 8, 16])('of digests in at most %i lanes have nothing to report', async (lanes) => {
  const md5 = pathToFileURL(join(root, 'src/lib/md5.ts')).href;
  const { code, stdout, stderr } = await run(process.execPath, ['--import', LOADER, DIGEST_MANY, md5], {
    env: { ...env, SVCFS_MD5_LANES: String(lanes) },
  });
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
  expect(await reported()).toBe('');
});

it('of receiving over TLS have nothing to report', async () => {
  const module = pathToFileURL(join(root, 'src/lib/tls-addon.ts')).href;
  const { code, stdout, stderr } = await run(
    process.execPath,
    ['--import', LOADER, RECEIVE_OVER_TLS, module],
    {
      env,
    },
  );
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
  expect(await reported()).toBe('');
});
