/** Tables of metadata where they cannot be imported: the connection breaks, or the mount takes no change. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { run, shell } from '../support/run.ts';
import { test } from '../support/sandbox-test.ts';

const FOLDER = 'projects/demo/rna-seq-study/intervals';

let service: DemoServiceProcess;
let proxy: FaultProxy;
beforeAll(async () => {
  service = await startDemoService();
  proxy = await FaultProxy.start(service.origin);
});
afterAll(async () => {
  await proxy?.close();
  await service?.end();
});

test('a connection that breaks between two requests: what was applied is told, and the same again ends it', async ({
  sandbox,
}) => {
  const env = { ...service.credentials, SVC_API_ENDPOINT: `${proxy.origin}/v2` };
  // The folder is the top of the mount, whose own .svcfs has the tables as well.
  const args = [sandbox.mountPoint, '--root', FOLDER, '--retry-timeout', '1'];
  expect(await sandbox.svcfs(['mount', ...args], { env })).toMatchObject({ code: 0, stderr: '' });
  const annex = sandbox.path('.svcfs');
  expect(await readdir(annex)).toEqual(expect.arrayContaining(['errors', 'jobs', 'metadata.tsv', 'stats']));
  expect(JSON.parse(await readFile(join(annex, 'config'), 'utf8'))).toMatchObject({ root: FOLDER });
  const table = join(sandbox.root, 'table.tsv');
  await shell(
    `awk -F'\\t' -v OFS='\\t' '{print $1, NR == 1 ? "round" : "2"}' ${annex}/metadata.tsv > ${table}`,
  );
  const rows = Number(await shell(`wc -l < ${table}`)) - 1;
  expect(rows).toBeGreaterThan(200);
  let edits = 0;
  proxy.inject({ kind: 'drop' }, { when: ({ path }) => path.includes('/bulk/files/edit') && ++edits > 1 });
  const written = await run('cp', [table, join(annex, 'metadata.tsv')]);
  expect(written).toMatchObject({ code: 1, stderr: expect.stringContaining('Input/output error') });
  const { stdout } = await sandbox.svcfs(['why', join(annex, 'metadata.tsv')]);
  expect(stdout).toContain(`of ${rows} rows 100 are applied`);
  expect(stdout).toContain(`${rows - 200} were not sent: write the table again to do the rest`);
  proxy.heal();
  await shell(`cp ${table} ${join(annex, 'metadata.tsv')}`);
  expect(await shell(`getfattr --only-values -n user.round *`, { cwd: sandbox.mountPoint })).toBe(
    '2'.repeat(rows),
  );
  expect(await readdir(annex)).not.toContain('results.tsv');
});

test('a mount that takes no change has tables to read', async ({ sandbox }) => {
  const args = ['mount', sandbox.mountPoint, '--read-only'];
  expect(await sandbox.svcfs(args, { env: service.credentials })).toMatchObject({ code: 0, stderr: '' });
  const table = sandbox.path(FOLDER, '.svcfs/metadata.tsv');
  expect(((await stat(table)).mode & 0o777).toString(8)).toBe('444');
  expect(await readFile(table, 'utf8')).toContain('svc.id\tsvc.path');
  expect((await run('cp', ['/etc/hostname', table])).stderr).toContain('Read-only file system');
  expect((await run('touch', [sandbox.path(FOLDER, '.svcfs/x')])).stderr).toContain('Read-only file system');
});
