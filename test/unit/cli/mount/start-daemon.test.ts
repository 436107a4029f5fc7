import { chmod, chown, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startDaemon } from '../../../../src/cli/mount/start-daemon.ts';
import { type MountDirectory, mountDirectoryAt } from '../../../../src/config/directories.ts';
import { MOUNT_OPTIONS } from '../../../../src/config/mount-options.ts';
import { DIRECTLY } from '../../../../src/config/network.ts';
import { defaultsOf } from '../../../../src/config/option.ts';

function stateDirectory(): MountDirectory {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  onTestFinished(() => removeCallback());
  return mountDirectoryAt(join(name, 'svcfs', 'mount'));
}

async function withState(): Promise<MountDirectory> {
  const directory = stateDirectory();
  await mkdir(directory.root, { recursive: true, mode: 0o700 });
  return directory;
}

const NOBODY = 65_534;

function start(directory = stateDirectory()): ReturnType<typeof startDaemon> {
  const dialect = { dialect: 'svc', settled: true } as const;
  const credentials = { endpoint: 'http://127.0.0.1:1/v2', token: 'token', dialect };
  const options = defaultsOf(MOUNT_OPTIONS);
  return startDaemon(
    { mountPoint: '/mnt', ...credentials, options, network: DIRECTLY, buckets: [], directory, tied: false },
    () => {},
  );
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

  it('whose log is a link writes nothing to where that leads', async () => {
    const directory = await withState();
    const other = join(directory.root, 'other');
    await writeFile(other, 'untouched\n');
    await symlink(other, directory.log);
    await expect(start(directory)).rejects.toMatchObject({
      exit: 'failure',
      message: `cannot write the log ${directory.log}: it is a symbolic link; remove it`,
    });
    expect(await readFile(other, 'utf8')).toBe('untouched\n');
  });

  it.skipIf(process.geteuid?.() !== 0)('whose log belongs to another user is not started', async () => {
    const directory = await withState();
    await writeFile(directory.log, '');
    await chown(directory.log, NOBODY, NOBODY);
    await expect(start(directory)).rejects.toMatchObject({
      message: `cannot write the log ${directory.log}: it belongs to another user (${NOBODY}); remove it`,
    });
  });

  it('is not started where others may write to its state', async () => {
    const directory = await withState();
    const refused = (path: string, remedy: string): Promise<void> =>
      expect(start(directory)).rejects.toMatchObject({
        exit: 'failure',
        message: expect.stringMatching(
          new RegExp(`^cannot keep state in ${path}, which can be written by .*: run ${remedy} ${path}$`),
        ),
      });
    await chmod(directory.root, 0o770);
    await refused(directory.root, 'chmod go-w');
    await chmod(directory.root, 0o700);
    const state = dirname(directory.root);
    await chmod(state, 0o707);
    await refused(state, 'chmod go-w');
    await chmod(state, 0o700);
    await chmod(dirname(state), 0o777);
    await refused(dirname(state), 'chmod o-w');
  });

  it.skipIf(process.geteuid?.() !== 0)('is not started where its state belongs to another user', async () => {
    const directory = await withState();
    const state = dirname(directory.root);
    await chown(state, NOBODY, NOBODY);
    await expect(start(directory)).rejects.toMatchObject({
      message: `cannot keep state in ${state}, which belongs to another user (${NOBODY}): set XDG_STATE_HOME to a directory where svcfs may keep its state`,
    });
  });
});
