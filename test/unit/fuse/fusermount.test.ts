import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unmountWithHelper } from '../../../src/fuse/fusermount.ts';

describe('fusermount3', () => {
  let path: string;
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'svcfs-'));
    vi.stubEnv('PATH', path);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(path, { recursive: true });
  });
  const unmount = (): Promise<void> => unmountWithHelper('/mnt', { lazy: false });

  it('is to be installed where there is none', async () => {
    await expect(unmount()).rejects.toMatchObject({
      kind: 'fusermount-missing',
      message: expect.stringContaining('install the package fuse3'),
    });
  });

  it('is not said to be missing where it cannot be started', async () => {
    await writeFile(join(path, 'fusermount3'), '');
    await chmod(join(path, 'fusermount3'), 0o600);
    await expect(unmount()).rejects.toMatchObject({
      kind: 'other',
      message: 'fusermount3 could not be started: permission denied',
    });
  });
});
