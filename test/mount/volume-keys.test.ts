/** A volume whose store has keys that are no paths, as the kernel and programs see it. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { TestService } from '../service/test-service.ts';
import { TestVolume } from '../service/volume-world.ts';
import { AnyKeys } from '../support/any-keys.ts';
import { mustRun, run } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';

const KEYS = ['v//only', 'w/x', 'w//x', '/lead', 'trail/', '.', '..', 'a', 'a/b', 'p/../a', '//'];

let service: TestService | undefined;
afterAll(() => service?.stop());

it('each key is one file with its own bytes, and programs come to an end', async () => {
  service = await TestService.start({ workers: true });
  const user = await service.user('ada');
  await TestVolume.make(service, user, { name: 'odd' });
  vi.spyOn(service.services.buckets, 'open').mockResolvedValue(new AnyKeys(KEYS));
  const sandbox = await Sandbox.create();
  onTestFinished(() => sandbox.clean());
  const env = { SVC_API_ENDPOINT: service.url, SVC_AUTH_TOKEN: user.token };
  const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint], { env });
  expect(mounted).toMatchObject({ code: 0 });

  const volume = sandbox.path('volumes/ada/odd');
  const copy = join(sandbox.root, 'copy');
  await mustRun('rsync', ['-r', `${volume}/`, `${copy}/`]);
  // The bytes of an object are its key.
  const contents = await mustRun('sh', ['-c', `find . -type f -exec sha256sum {} + | cut -d' ' -f1`], {
    cwd: copy,
  });
  const digest = (key: string): string => createHash('sha256').update(key).digest('hex');
  expect(contents.trim().split('\n').sort()).toEqual(KEYS.map(digest).sort());
  const count = 'import os, sys; print(sum(len(files) for _, _, files in os.walk(sys.argv[1])))';
  expect(await mustRun('python3', ['-c', count, volume])).toBe(`${KEYS.length}\n`);
  expect(await mustRun('cat', [join(volume, 'w/svc~%2F/x')])).toBe('w//x');

  await user.project('p');
  const moved = await run('mv', [join(volume, 'w/svc~%2F/x'), sandbox.path('projects/ada/p/x')]);
  expect(moved).toMatchObject({ code: 1, stderr: expect.stringContaining('Operation not permitted') });
  await mustRun('cp', [join(volume, 'w/svc~%2F/x'), sandbox.path('projects/ada/p/x')]);
  expect(await mustRun('cat', [sandbox.path('projects/ada/p/x')])).toBe('w//x');
});
