import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tryMount } from '../../../src/cli/mount/try-mount.ts';

it('says what a mount point that does not answer did', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svcfs-try-'));
  try {
    await expect(tryMount(directory)).rejects.toMatchObject({
      exit: 'failure',
      message: expect.stringContaining(`${directory} is mounted, and does not answer: ENOENT`),
    });
  } finally {
    await rm(directory, { recursive: true });
  }
});
