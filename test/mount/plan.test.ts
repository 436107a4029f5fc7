/** `svcfs plan`: what it tells of the shell's own commands is what then happens on the mount. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

let served: ServedMount;
let project: string;
beforeAll(async () => {
  served = await ServedMount.start();
  project = served.path('projects/demo/rna-seq-study');
  await shell(
    `mkdir -p t a b out; for i in 1 2; do mkdir -p t/d$i; for j in 1 2 3 4; do echo $i $j > t/d$i/f$j; done; done
    : > t/empty; for j in 1 2 3; do echo $j > a/f$j; echo old > b/f$j; done
    cd ${served.sandbox.root}; mkdir -p in/s; seq 9 > in/x; : > in/e; head -c 40000000 /dev/zero > in/s/large`,
    {
      cwd: project,
    },
  );
});
afterAll(() => served?.clean());

const OTHER = '../trio-exomes';
const VOLUME = '../../../volumes/demo/results';

async function plan(...args: string[]) {
  return served.sandbox.svcfs(['plan', ...args], { cwd: project });
}

/** With its empty files, which go up after their last close. */
async function done(command: string): Promise<void> {
  await shell(command, { cwd: project });
  if (command.startsWith('cp') || command.includes('moved')) {
    const flushed = await served.sandbox.svcfs(['flush', served.sandbox.mountPoint]);
    expect(flushed).toMatchObject({ code: 0 });
  }
}

/** Questions how jobs are do not count, and neither does what a service offers. */
const isPolling = (call: string) => /GET .*async|storage\/(?:im|ex)ports\/get|GET \/v2\/?$/.test(call);
const isLook = (call: string) =>
  (call.startsWith('GET ') && !call.includes('/part/')) || call === 'POST /v2/bulk/files/get';

test.each([
  ['cp -r t t2', { calls: { make: 3, copy: 8, write: 1 } }],
  [`cp -a t ${OTHER}/t3`, { calls: { make: 3, copy: 8, write: 1 } }],
  ['cp a/f1 a/f2 b', { calls: { copy: 2, edit: 2 } }],
  ['cp -n a/f3 b', { calls: {} }],
  ['mv a/f3 b/', { calls: { move: 1 }, jobs: 0 }],
  ['mv a/f1 a/g1', { calls: { move: 1 }, jobs: 0 }],
  [`mv a/f2 ${OTHER}/f2`, { calls: { move: 1 }, jobs: 1 }],
  ['mv t2 t4', { calls: { move: 1 }, jobs: 1 }],
  [`mv t4 ${OTHER}`, { calls: { move: 1 }, jobs: 1 }],
  [`cp -r t/d1 ${VOLUME}/p1`, { calls: { export: 4 }, jobs: 4 }],
  [`mv ${OTHER}/t4/d2 ${VOLUME}/p2`, { calls: { export: 1 }, jobs: 4 }],
  [`cp -r ${VOLUME}/p1 b`, { calls: { make: 1, import: 4 }, jobs: 4 }],
  [`mv ${VOLUME}/p2 out`, { calls: { make: 1, import: 1 }, jobs: 4 }],
  ['cp -r ../../../../in out', { calls: { make: 2, write: 1 + 1 + 5 }, carriedBytes: 40_000_018 }],
  ['cp -r out/in ../../../../back', { calls: {}, carriedBytes: 40_000_018 }],
  ['mv out/in ../../../../moved', { calls: { remove: 5 } }],
  ['mv ../../../../moved out/in', { calls: { make: 2, write: 1 + 1 + 6 } }],
  ['rm -r t b', { calls: { remove: 12 + 9 } }],
])('%s makes the changes that were told', async (command, told) => {
  const { code, stdout, stderr } = await plan('--json', ...command.split(' '));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const planned = JSON.parse(stdout);
  expect(planned).toMatchObject(told);
  expect(planned.calls).toEqual(told.calls);
  const calls = Object.entries(await served.countingCalls(() => done(command)));
  const counted = (wanted: (call: string) => boolean) =>
    calls.filter(([call]) => !isPolling(call) && wanted(call)).reduce((sum, [, count]) => sum + count, 0);
  expect(
    counted((call) => !isLook(call)),
    JSON.stringify(calls),
  ).toBe(planned.changes);
  expect(counted(isLook)).toBeLessThanOrEqual(planned.looks + 6);
});

test('nothing is done, and what the system would refuse is told', async () => {
  expect(await plan('rm', '-r', 'out')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('to remove'),
  });
  expect(await readdir(join(project, 'out'))).toContain('in');
  expect(await plan('rm', `${VOLUME}/p1/f1`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('rm(1) would fail: the platform removes nothing from a volume'),
  });
  expect(await plan('cp', 'out', 'out2')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cp -r'),
  });
  expect(await plan('mv', 'none', 'out')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no such file'),
  });
  expect(await plan('mv', '--strange', 'out')).toMatchObject({ code: 2 });
  expect(await plan('rm', '/etc/passwd')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not in a mount'),
  });
  const { stderr } = await plan('rm', 'project:demo/x/y');
  expect(stderr).toContain('svcfs rm --dry-run takes this');
});
