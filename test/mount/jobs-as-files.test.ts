/** Jobs that fail in part, as files and by `svcfs jobs`. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { run } from '../support/run.ts';
import { test } from '../support/sandbox-test.ts';

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

test('a folder of which a file fails is one job, whose failure is a file, and which can be done again', async ({
  sandbox,
}) => {
  const options = { env: service.credentials };
  expect(await sandbox.svcfs(['mount', sandbox.mountPoint], options)).toMatchObject({ code: 0, stderr: '' });
  const project = sandbox.path('projects', 'demo', 'rna-seq-study');
  const volume = sandbox.path('volumes', 'demo', 'results');
  const shell = (script: string) => run('bash', ['-c', script], { cwd: project });
  const jobs = (...args: string[]) => sandbox.svcfs(['jobs', ...args], { cwd: project });
  const made = await shell(
    'mkdir d && for i in 1 2 3; do echo $i > d/$i; done; getfattr --only-values -n user.svc.id d/2',
  );
  const mark = (flag: string) =>
    sandbox.svcfs(['admin', 'files', 'mark', made.stdout, flag, '--data', service.data]);
  expect(await mark('--public')).toMatchObject({ code: 0 });

  expect(await shell(`mv d ${volume}/d`)).toMatchObject({ code: 1 });
  const listed = (await jobs('list')).stdout;
  expect(listed).toMatch(
    /^\S+ export failed \/projects\/.*\/d -> \/volumes\/.*\/d \(2 of 3 done, 1 failed\)\n$/,
  );
  const [id = ''] = listed.split(' ');
  const files = (name: string) => readFile(sandbox.path('.svcfs', 'jobs', id, name), 'utf8');
  expect(await files('state')).toBe('failed\n');
  expect(await files('progress')).toBe('2 1 3\n');
  expect(await files('source')).toBe('/projects/demo/rna-seq-study/d\n');
  expect(await files('failed.tsv')).toMatch(/\n\/projects\/.*\/d\/2\t\/volumes\/.*\/d\/2\t9006\t[^\t\n]+\n$/);
  expect((await jobs('show', id)).stdout).toContain('/d/2');
  expect(await jobs('wait', id)).toMatchObject({ code: 1 });

  expect(await mark('--no-public')).toMatchObject({ code: 0 });
  const retried = await jobs('retry', id);
  expect(retried).toMatchObject({ code: 0, stdout: expect.stringContaining('(3 of 3 done)') });
  expect(await files('failed.tsv')).toBe('source\tdestination\tcode\treason\n');
  expect((await shell(`cat ${volume}/d/2`)).stdout).toBe('2\n');
  expect(await jobs('cancel', id)).toMatchObject({ code: 0 });
  expect((await jobs('list', '--watch')).stdout).toBe(`${retried.stdout}`);
  expect(JSON.parse((await jobs('show', '--json', id)).stdout)).toMatchObject({ id, total: 3, done: 3 });
  expect(await jobs('wait', 'none')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('svcfs jobs list'),
  });
});
