/** A mount whose addons were built with AddressSanitizer and UndefinedBehaviorSanitizer: neither has anything to say. */
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FileWorker } from '../model/file-worker.ts';
import { anyOperationOnLinks } from '../model/operations.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { mustRun, run, shell } from '../support/run.ts';
import { amount, SEED } from './seeded.ts';

const STEPS = amount('LONG_SANITIZED_STEPS', 2000);
const STEPS_OF_A_FOLDER = 100;
const BUILD_MS = 300_000;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let world: FaultWorld;
let reports: string;
beforeAll(async () => {
  await mustRun('make', ['-s', '-C', join(ROOT, 'native'), 'sanitized'], { timeoutMs: BUILD_MS });
  world = await FaultWorld.start();
  await world.unmount();
  reports = world.outside('reports');
  await mkdir(reports);
  await mountSanitized(await layProgram());
}, BUILD_MS + 60_000);
afterAll(() => world?.clean());

/** The program finds its addons beside it. */
async function layProgram(): Promise<string> {
  const root = world.outside('sanitized');
  await mkdir(join(root, 'native'), { recursive: true });
  await cp(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(root, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  await symlink(join(ROOT, 'native/build-sanitized'), join(root, 'native/build'));
  return join(root, 'dist/cli/main.js');
}

async function mountSanitized(program: string): Promise<void> {
  const libasan = (await mustRun('gcc', ['-print-file-name=libasan.so'])).trim();
  const { code, stderr } = await run(process.execPath, [program, 'mount', world.sandbox.mountPoint], {
    timeoutMs: 60_000,
    env: {
      ...world.sandbox.env,
      SVC_API_ENDPOINT: `${world.proxy.origin}/v2`,
      SVC_AUTH_TOKEN: world.token,
      LD_PRELOAD: libasan,
      // Node.js frees nothing at its end.
      ASAN_OPTIONS: `detect_leaks=0:log_path=${reports}/asan`,
      UBSAN_OPTIONS: `print_stacktrace=1:log_path=${reports}/ubsan`,
    },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

it('has nothing to report', { timeout: STEPS * 5000 + 300_000 }, async () => {
  const daemon = (await world.sandbox.processes()).find(({ command }) => command.includes('daemon.js'));
  const maps = await readFile(`/proc/${daemon?.pid}/maps`, 'utf8');
  expect(maps).toContain('build-sanitized/svcfs.node');
  expect(maps).toContain('libasan');
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
  await shell(`cmp ${world.outside('big')} ${world.own('big')}`);
  expect(await world.unmount()).toMatchObject({ code: 0 });
  const said = await Promise.all(
    (await readdir(reports)).map((name) => readFile(join(reports, name), 'utf8')),
  );
  expect(said.join('\n'), `MODEL_SEED=${SEED}`).toBe('');
});
