/** The rights of several users of a machine in a mount that all of them see. */
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { type RunResult, run, shell } from '../support/run.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';

const PROJECT = 'projects/demo/rna-seq-study';
const NOBODY = 65534;

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

async function mount(sandbox: Sandbox, args: readonly string[]): Promise<void> {
  const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint, ...args], { env: service.credentials });
  expect(mounted).toMatchObject({ code: 0, stderr: '' });
}

describe('who may', () => {
  const asNobody = (path: string): Promise<RunResult> => run('cat', [path], { uid: NOBODY, gid: NOBODY });
  const isRoot = process.getuid?.() === 0;

  test.skipIf(!isRoot)(
    '--allow-other lets other users in, who are kept out otherwise',
    async ({ sandbox }) => {
      const file = sandbox.path(PROJECT, 'README.md');
      await chmod(sandbox.root, 0o711);
      await mount(sandbox, []);
      expect((await asNobody(file)).stderr).toContain('Permission denied');
      await sandbox.svcfs(['unmount', sandbox.mountPoint]);
      await mount(sandbox, ['--allow-other']);
      expect(await asNobody(file)).toMatchObject({ code: 0, stderr: '' });
    },
  );

  test.skipIf(!isRoot)(
    '--allow-other keeps .svcfs to the user who mounted, and root',
    async ({ sandbox }) => {
      await chmod(sandbox.root, 0o711);
      await mount(sandbox, ['--allow-other', '--uid', String(NOBODY)]);
      const errors = sandbox.path('.svcfs/errors');
      expect(await readFile(errors, 'utf8')).toBe('');
      expect((await asNobody(errors)).stderr).toContain('Permission denied');
      expect((await run('ls', [sandbox.path('.svcfs')], { uid: NOBODY, gid: NOBODY })).stderr).toContain(
        'Permission denied',
      );
    },
  );

  test.skipIf(!isRoot)(
    '--owner kept has permissions work between users of one machine, also after a remount',
    async ({ sandbox }) => {
      await chmod(sandbox.root, 0o711);
      await mount(sandbox, ['--allow-other', '--owner', 'kept']);
      const shared = sandbox.path(PROJECT, 'shared');
      const as = (id: number, script: string): Promise<RunResult> =>
        run('bash', ['-c', script], { uid: id, gid: id, env: { shared } });
      await shell(`mkdir -m 755 ${shared}; chown ${NOBODY}:${NOBODY} ${shared}`);
      expect(await as(NOBODY, 'echo mine > $shared/f && chmod 600 $shared/f')).toMatchObject({ code: 0 });
      const local = join(sandbox.root, 'local');
      await shell(
        `mkdir ${local}; echo text > ${local}/theirs; chown 1234:1234 ${local}/theirs; chmod 640 ${local}/theirs`,
      );
      await shell(
        `rsync -a ${local}/theirs ${shared}/; tar c -C ${local} theirs | tar x -C ${shared} --transform s/theirs/tarred/`,
      );
      const inForce = async (): Promise<void> => {
        const shown = await shell(`cd ${shared}; stat -c '%u:%g %a %n' . f tarred theirs`);
        const nobody = `${NOBODY}:${NOBODY}`;
        expect(shown).toBe(`${nobody} 755 .\n${nobody} 600 f\n1234:1234 640 tarred\n1234:1234 640 theirs\n`);
        expect(await as(NOBODY, 'cat $shared/f')).toMatchObject({ code: 0, stdout: 'mine\n' });
        expect(await as(1234, 'cat $shared/theirs')).toMatchObject({ code: 0, stdout: 'text\n' });
        for (const denied of ['cat $shared/f', 'touch $shared/new', 'rm -f $shared/f', 'chmod 666 $shared/f'])
          expect((await as(1234, denied)).stderr).toMatch(/Permission denied|Operation not permitted/);
      };
      await inForce();
      await sandbox.svcfs(['unmount', sandbox.mountPoint]);
      await mount(sandbox, ['--allow-other', '--owner', 'kept']);
      await inForce();
    },
  );

  test('--uid, --gid and --umask say whose everything is', async ({ sandbox }) => {
    await mount(sandbox, ['--uid', '1234', '--gid', '5678', '--umask', '077']);
    const { uid, gid, mode } = await stat(sandbox.path(PROJECT, 'README.md'));
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 1234, gid: 5678, mode: 0o600 });
  });
});
