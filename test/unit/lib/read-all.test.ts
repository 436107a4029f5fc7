import { open, writeFile } from 'node:fs/promises';
import { dirSync } from 'tmp';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readAll } from '../../../src/lib/read-all.ts';

const GIB = 1024 ** 3;

it('reads up to the end of a file', async () => {
  const directory = dirSync({ unsafeCleanup: true });
  onTestFinished(() => directory.removeCallback());
  const path = `${directory.name}/file`;
  await writeFile(path, 'some bytes');
  const file = await open(path);
  onTestFinished(() => file.close());
  const into = Buffer.alloc(8, '?');
  expect(await readAll(file, into, 5)).toBe(5);
  expect(into.toString()).toBe('bytes???');
  expect(await readAll(file, into, 0)).toBe(8);
  expect(into.toString()).toBe('some byt');
});

it('never asks for as much at once as ends the process', async () => {
  // Its pages are never touched.
  const into = new Uint8Array(3 * GIB);
  const read = vi.fn(async (_into: unknown, _at: number, length: number) => ({ bytesRead: length }));
  expect(await readAll({ read } as unknown as Parameters<typeof readAll>[0], into, 7)).toBe(3 * GIB);
  expect(read.mock.calls.map(([, at, length, position]: unknown[]) => [at, length, position])).toEqual([
    [0, GIB, 7],
    [GIB, GIB, GIB + 7],
    [2 * GIB, GIB, 2 * GIB + 7],
  ]);
});
