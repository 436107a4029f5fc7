/** Programs on a mount with `--trash`, and `svcfs trash`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { run } from '../support/run.ts';
import { test } from '../support/sandbox-test.ts';

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

test('rm -r, editors and mv fill the trash, and svcfs trash lists, restores and empties it', async ({
  sandbox,
}) => {
  const options = { env: service.credentials };
  const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint, '--trash', '30'], options);
  expect(mounted).toMatchObject({ code: 0, stderr: '' });
  const cwd = sandbox.path('projects', 'demo', 'rna-seq-study');
  const shell = (script: string) => run('bash', ['-c', script], { cwd });
  const trash = (...args: string[]) => sandbox.svcfs(['trash', ...args], options);

  const removed = await shell(
    'mkdir -p run/a && echo one > run/a/x && setfattr -n user.sample -v P1 run/a/x && echo two > run/y && rm -r run; ls -A',
  );
  expect(removed).toMatchObject({ code: 0, stderr: '' });
  expect(removed.stdout).not.toMatch(/run|svcfs-trash/);
  const day = (await shell('ls .svcfs-trash')).stdout.trim();
  const found = await shell(`find . -name x; cat .svcfs-trash/${day}/run/a/x`);
  expect(found).toMatchObject({ code: 0, stdout: 'one\n' });

  const listed = await trash('list', '--json', join(cwd, 'run'));
  const files = listed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(files.map(({ path, trash: at, size }) => [path, at, size])).toEqual([
    [join(cwd, 'run/a/x'), join(cwd, `.svcfs-trash/${day}/run/a/x`), 4],
    [join(cwd, 'run/y'), join(cwd, `.svcfs-trash/${day}/run/y`), 4],
  ]);

  expect(await trash('restore', join(cwd, 'run'))).toMatchObject({
    code: 0,
    stdout: `restored ${cwd}/run/a/x\nrestored ${cwd}/run/y\n`,
  });
  expect(await shell('cat run/a/x run/y; getfattr --only-values -n user.sample run/a/x')).toMatchObject({
    code: 0,
    stdout: 'one\ntwo\nP1',
  });

  await shell('echo three > run/y && echo four > new && mv new run/y');
  const taken = await trash('restore', 'project:demo/rna-seq-study/run/y');
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('--rename') });
  expect(await trash('restore', '--rename', join(cwd, 'run/y'))).toMatchObject({ code: 0 });
  expect((await shell('cat run/y run/y~1')).stdout).toBe('four\nthree\n');

  const none = await trash('empty', '--older-than', '7d', cwd);
  expect(none.stdout).toBe(`deleted 0 files (0 B) of ${cwd}\n`);
  expect((await trash('empty', cwd)).stdout).toBe(`deleted 1 file (4 B) of ${cwd}\n`);
  expect((await shell('ls .svcfs-trash')).stdout).toBe('');
  expect(await trash('list', sandbox.mountPoint)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('only projects have a trash'),
  });
  await writeFile(join(cwd, 'after'), 'the trash was emptied');
  expect(await shell('rm after && ls .svcfs-trash')).toMatchObject({ code: 0, stdout: `${day}\n` });

  await shell('mkdir -p many/sub && touch many/one many/sub/two && echo 1 > single && echo 2 > after');
  const plan = await sandbox.svcfs(['rm', '-r', '--dry-run', '--json', 'many', 'single', 'after'], { cwd });
  const byCommand = await sandbox.svcfs(['rm', '-r', '-v', 'many', 'single', 'after'], { cwd });
  expect(byCommand).toMatchObject({ code: 0, stderr: '' });
  // The day has an `after` already.
  const told = byCommand.stdout.trimEnd().split('\n').sort();
  expect(told.map((line) => line.replace(/~\d{9}/, '~TIME'))).toEqual(
    [
      `moved to the trash 'many' -> 'project:demo/rna-seq-study/.svcfs-trash/${day}/many'`,
      `moved to the trash 'single' -> 'project:demo/rna-seq-study/.svcfs-trash/${day}/single'`,
      `moved to the trash 'after' -> 'project:demo/rna-seq-study/.svcfs-trash/${day}/after~TIME'`,
    ].sort(),
  );
  expect(JSON.parse(plan.stdout)).toMatchObject({ changes: 3, jobs: 1, bytes: 4 });
  expect((await shell('ls')).stdout).not.toMatch(/many|single|after/);
  const again = await trash('restore', join(cwd, 'many'), join(cwd, 'single'));
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect((await shell('cat single; ls many many/sub')).stdout).toBe('1\nmany:\none\nsub\n\nmany/sub:\ntwo\n');
  expect(await sandbox.svcfs(['rm', '-r', `.svcfs-trash/${day}`], { cwd })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('svcfs trash empty'),
  });
});
