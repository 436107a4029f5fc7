/** Programs on mounts that keep what is on the platform: `--no-delete`, `--no-overwrite`, `--confirm-delete`. */
import { afterAll, beforeAll, expect } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { run } from '../support/run.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

const shell = (script: string, options: { cwd: string }) => run('bash', ['-c', script], options);

async function mount(sandbox: Sandbox, ...options: string[]): Promise<string> {
  const args = ['mount', sandbox.mountPoint, ...options];
  expect(await sandbox.svcfs(args, { env: service.credentials })).toMatchObject({ code: 0, stderr: '' });
  return sandbox.path('projects', 'demo', 'rna-seq-study');
}

test('--no-delete: rm and rmdir fail, why tells the option, and other programs work', async ({ sandbox }) => {
  const cwd = await mount(sandbox, '--no-delete');
  const made = await shell(
    'mkdir keep && echo one > keep/file && echo two > keep/file && mv keep/file keep/moved',
    {
      cwd,
    },
  );
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(await shell('rm keep/moved', { cwd })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not permitted'),
  });
  expect((await sandbox.svcfs(['why', `${cwd}/keep/moved`])).stdout).toContain('--no-delete');
  expect(await shell('rm -r keep', { cwd })).toMatchObject({ code: 1 });
  expect((await shell('cat keep/moved', { cwd })).stdout).toBe('two\n');
});

test('--no-overwrite: new files, touch and rm work, a second cp fails and changes nothing', async ({
  sandbox,
}) => {
  const cwd = await mount(sandbox, '--no-overwrite');
  expect(await shell('echo one > once && touch once && chmod 600 once', { cwd })).toMatchObject({
    code: 0,
    stderr: '',
  });
  for (const again of [
    'echo two > once',
    'echo two >> once',
    'truncate -s 1 once',
    'echo two > other && mv other once',
  ])
    expect(await shell(again, { cwd })).not.toMatchObject({ code: 0 });
  expect((await shell('cat once', { cwd })).stdout).toBe('one\n');
  expect((await sandbox.svcfs(['why', `${cwd}/once`])).stdout).toContain('--no-overwrite');
  expect(await shell('rm once && echo three > once && cat once', { cwd })).toMatchObject({
    code: 0,
    stdout: 'three\n',
  });
});

test('--confirm-delete: rm -r ends with the entry after the last, until svcfs allow', async ({ sandbox }) => {
  const cwd = await mount(sandbox, '--confirm-delete', '3');
  const made = await shell('mkdir old && for i in 1 2 3 4 5; do echo $i > old/$i; done', { cwd });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const unasked = await sandbox.svcfs(['rm', '-r', 'old'], { cwd });
  expect(unasked).toMatchObject({ code: 1, stderr: expect.stringMatching(/5 files.*3 go unasked.*add -f/) });
  // Each command of this shell is of one process group: the shell's own.
  const refused = await shell('rm -r old; ls old', { cwd });
  expect(refused.stderr).toContain('not permitted');
  expect(refused.stdout.trim().split('\n')).toHaveLength(2);
  const why = await sandbox.svcfs(['why', `${cwd}/old`]);
  expect(why.stdout).toMatch(/--confirm-delete 3.*svcfs allow PATH.*svcfs allow --pid \d+/s);
  const allowed = await sandbox.svcfs(['allow', `${cwd}/old`]);
  expect(allowed.stdout).toMatch(/old: files and folders can be removed until \d\d:\d\d:\d\d\n/);
  expect(await shell('rm -r old; echo 6 > old', { cwd })).toMatchObject({ code: 0, stderr: '' });
  const gone = await sandbox.svcfs(['allow', '--pid', '4194304', sandbox.mountPoint]);
  expect(gone).toMatchObject({ code: 1, stderr: 'svcfs: there is no process 4194304\n' });
});
