import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startDaemon } from '../../../src/cli/mount/start-daemon.ts';
import { type MountDirectory, mountDirectoryAt } from '../../../src/config/directories.ts';
import { MOUNT_OPTIONS } from '../../../src/config/mount-options.ts';
import { defaultsOf } from '../../../src/config/option.ts';

function stateDirectory(): MountDirectory {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  onTestFinished(() => removeCallback());
  return mountDirectoryAt(join(name, 'state'));
}

function start(directory = stateDirectory()): ReturnType<typeof startDaemon> {
  const credentials = { endpoint: 'http://127.0.0.1:1/v2', token: 'token' };
  const options = defaultsOf(MOUNT_OPTIONS);
  return startDaemon({ mountPoint: '/mnt', ...credentials, options, directory, tied: false }, () => {});
}

describe('the process of a mount', () => {
  it.each([
    ['is not there', '/nowhere/node', 'no such file or directory'],
    ['may not be run', '/etc/passwd', 'permission denied'],
  ])('that cannot be started, since its program %s, is told in one line', async (_, program, reason) => {
    const { execPath } = process;
    onTestFinished(() => {
      process.execPath = execPath;
    });
    process.execPath = program;
    await expect(start()).rejects.toMatchObject({
      exit: 'failure',
      message: `the mount process cannot be started: ${reason} (${program})`,
    });
  });

  it('that cannot be started for too long an environment is told in one line', async () => {
    vi.stubEnv('SVCFS_TEST', 'x'.repeat(200_000));
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(start()).rejects.toMatchObject({
      exit: 'failure',
      message: expect.stringContaining('cannot be started: argument list too long'),
    });
  });

  it('whose log cannot be written is not started, and that is told in one line', async () => {
    const directory = stateDirectory();
    await mkdir(directory.log, { recursive: true });
    await expect(start(directory)).rejects.toMatchObject({
      exit: 'failure',
      message: expect.stringMatching(/^cannot write the log .*mount\.log: illegal .*; set XDG_STATE_HOME/),
    });
  });
});
