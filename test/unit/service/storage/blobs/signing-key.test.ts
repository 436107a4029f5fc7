import { existsSync, readFileSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { dirSync } from 'tmp';
import { expect, onTestFinished, test } from 'vitest';
import { readOrMakeKey } from '../../../../../src/service/storage/blobs/signing-key.ts';

function keyPath(): string {
  const { name, removeCallback } = dirSync({ prefix: 'svcfs-signing', unsafeCleanup: true });
  onTestFinished(() => removeCallback());
  return join(name, 'signing-key');
}

test('all that start together on one directory get one key', async () => {
  const path = keyPath();
  const keys = await Promise.all(Array.from({ length: 8 }, () => readOrMakeKey(path)));
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
});

test('its name is not there before the key is: another process may look at any time', async () => {
  for (let round = 0; round < 50; round += 1) {
    const path = keyPath();
    let done = false;
    const made = readOrMakeKey(path).finally(() => {
      done = true;
    });
    while (!done) {
      if (existsSync(path)) expect(readFileSync(path)).toHaveLength(64);
      await setImmediate();
    }
    await made;
  }
});

test('it is kept for the next start, for the service alone to read', async () => {
  const path = keyPath();
  const key = await readOrMakeKey(path);
  expect(await readOrMakeKey(path)).toEqual(key);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a file that holds something else is left alone and named', async () => {
  const path = keyPath();
  await writeFile(path, 'ab12');
  await expect(readOrMakeKey(path)).rejects.toThrow(`${path} does not hold a key`);
});
