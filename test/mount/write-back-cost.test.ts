/** `--write-back`: what programs do to files soon after their close costs no request beside the upload's own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { mustRun, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

const UPLOAD = 'POST /v2/upload/inline';
const LISTING = 'GET /v2/files/:file_id/list';

let served: ServedMount;
let directory: string;
let local: string;
let tests = 0;
beforeAll(async () => {
  served = await ServedMount.start({ mountArgs: ['--write-back'] });
});
afterAll(() => served?.clean());
beforeEach(async () => {
  tests += 1;
  directory = served.path('projects/demo/rna-seq-study', `folded-${tests}`);
  local = join(served.sandbox.root, `folded-${tests}`);
  await mkdir(directory);
  await mkdir(local);
});

/** Requests by call until all is uploaded, but for those that a mount may make at any time. */
async function costOf(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const calls = await served.countingCalls(async () => {
    await work();
    const { code, stderr } = await served.sandbox.svcfs(['flush', served.sandbox.mountPoint]);
    expect([code, stderr]).toEqual([0, '']);
  });
  return Object.fromEntries(Object.entries(calls).filter(([call, count]) => count > 0 && call !== LISTING));
}

it('rsync -a costs an upload a file: names, modes and times go with it', async () => {
  for (let i = 0; i < 53; i += 1) await writeFile(join(local, `f${i}`), `text ${i}\n`, { mode: 0o640 });
  await shell('touch -d 2001-01-01 *', { cwd: local });
  const sync = ['-a', `${local}/`, `${directory}/`];
  expect(await costOf(() => mustRun('rsync', sync))).toEqual({ [UPLOAD]: 53 });
  expect(await mustRun('rsync', ['-i', ...sync])).toBe('');
});

it('ten setfattr a file after its close go with its upload', async () => {
  const script =
    'for f in $(seq 24); do echo $f > $f; for k in $(seq 10); do setfattr -n user.k$k -v $f $f; done; done';
  expect(await costOf(() => shell(script, { cwd: directory }))).toEqual({ [UPLOAD]: 24 });
  await served.unmount();
  await served.mount(['--write-back']);
  const pairs = await shell('getfattr -d 7 | grep -c =.7', { cwd: directory });
  expect(pairs).toBe('10\n');
});
