/**
 * Programs made up at random do the same to files in the mount and on this machine's disk: after each operation both
 * must have answered the same; in the end the same files must be there, for the mount, for another mount that has never
 * seen them, and for the service itself.
 *
 * A failure prints its seed and path. `MODEL_SEED=… MODEL_PATH=… npx vitest run --project model programs` runs it
 * again; `MODEL_RUNS=…` tries more programs, another `MODEL_SEED` others.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServedMount } from '../support/served-mount.ts';
import { waitUntil } from '../support/wait-until.ts';
import { FileWorker } from './file-worker.ts';
import { anyOperation, type Operation } from './operations.ts';
import { PlatformFiles } from './platform-files.ts';

const PROJECT = 'demo/rna-seq-study';
const RUNS = Number(process.env['MODEL_RUNS'] ?? 80);
/** The same programs each time, so that a change is not held up by what was there before; look for more by others. */
const SEED = Number(process.env['MODEL_SEED'] ?? 1);
const PATH = process.env['MODEL_PATH'];

let served: ServedMount;
let platform: PlatformFiles;
let programs = 0;
/** The files that each program's directory must hold. */
const expected = new Map<string, unknown>();

beforeAll(async () => {
  served = await ServedMount.start();
  platform = new PlatformFiles(served);
});
afterAll(() => served?.clean());

/** Runs a program on both sides, in directories of its own. */
async function runOnBoth(program: readonly Operation[]): Promise<void> {
  const name = `program-${++programs}`;
  const directories = [join(served.sandbox.root, name), served.path('projects', PROJECT, name)];
  const workers: FileWorker[] = [];
  try {
    for (const directory of directories) {
      await mkdir(directory);
      workers.push(new FileWorker(directory));
    }
    const [local, mounted] = workers as [FileWorker, FileWorker];
    const steps: readonly Operation[] = [...program, ['closeAll']];
    for (const [at, operation] of steps.entries()) {
      const wanted = await local.do(operation);
      const answer = await mounted.do(operation);
      expect(answer, `step ${at}, ${operation.join(' ')}`).toEqual(wanted);
    }
    const { ok } = (await local.do(['tree', '.'])) as { readonly ok: unknown };
    expect(await mounted.do(['tree', '.'])).toEqual({ ok });
    expected.set(name, ok);
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
    await rm(directories[0] ?? '', { recursive: true, force: true });
  }
}

it(
  'do the same in the mount as on a disk',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyOperation, { minLength: 10, maxLength: 60, size: 'max' }), runOnBoth),
      {
        numRuns: RUNS,
        interruptAfterTimeLimit: 20 * 60_000,
        seed: SEED,
        ...(PATH !== undefined && { path: PATH }),
      },
    );
  },
  25 * 60_000,
);

it('leave on the service what they left in the mount', async () => {
  const folders = (await platform.ofProject(PROJECT)).filter(({ name }) => expected.has(name));
  expect(folders).toHaveLength(expected.size);
  for (const { id, name } of folders) expect(await platform.tree(id), name).toEqual(expected.get(name));
  await waitUntil(async () => (await platform.uploads()).length === 0);
});

it('leave what a mount finds that has never seen it', async () => {
  await served.unmount();
  await served.mount();
  const worker = new FileWorker(served.path('projects', PROJECT));
  try {
    for (const [name, tree] of expected) expect(await worker.do(['tree', name]), name).toEqual({ ok: tree });
  } finally {
    await worker.end();
  }
});
