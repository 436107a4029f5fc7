import { spawn } from 'node:child_process';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeMountUse, findMountUsers } from '../../../../src/cli/mount/mount-users.ts';
import { waitUntil } from '../../../support/wait-until.ts';

async function directory(): Promise<string> {
  const made = dirSync({ unsafeCleanup: true });
  onTestFinished(() => made.removeCallback());
  return realpath(made.name);
}

describe('who keeps a mount busy', () => {
  it('is the process whose working directory is there', async () => {
    const path = await directory();
    const child = spawn('sleep', ['60'], { cwd: path });
    onTestFinished(() => void child.kill());
    const users = await waitUntil(async () => {
      const found = await findMountUsers(path);
      return found.some(({ command }) => command === 'sleep') && found;
    });
    expect(users).toEqual([{ pid: child.pid, command: 'sleep', use: 'working directory', path }]);
  });

  it('is the process that has a file open, whatever its name', async () => {
    const path = await directory();
    const file = await open(join(path, 'a file (1)'), 'w');
    const users = await findMountUsers(path);
    await file.close();
    expect(users).toMatchObject([{ pid: process.pid, use: 'open file', path: join(path, 'a file (1)') }]);
  });

  it('is nobody with a file in a directory of almost the same name', async () => {
    const path = await directory();
    const file = await open(`${path}-other`, 'w');
    onTestFinished(async () => file.close());
    expect(await findMountUsers(path)).toEqual([]);
  });

  it('is said to be hidden where nobody is seen', async () => {
    expect(await describeMountUse(await directory())).toMatch(
      /^ {2}by processes of others, which only root is shown/,
    );
  });
});
