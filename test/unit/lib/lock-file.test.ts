import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lockFile } from '../../../src/lib/lock-file.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svcfs-lock-'));
  path = join(directory, 'lock');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

it('locks a file until it is closed', async () => {
  const first = await lockFile(path, 0);
  expect(first).toBeDefined();
  expect(await lockFile(path, 0)).toBeUndefined();
  await first?.close();
  const second = await lockFile(path, 0);
  expect(second).toBeDefined();
  await second?.close();
});

it('does not take the usage error of a flock with fewer options for a held lock', async () => {
  const usage = '#!/bin/sh\necho "flock: unrecognized option: wait" >&2\nexit 1\n';
  await writeFile(join(directory, 'flock'), usage, { mode: 0o700 });
  vi.stubEnv('PATH', `${directory}:${process.env['PATH']}`);
  await expect(lockFile(path, 0)).rejects.toThrow('unrecognized option');
});
