import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { expect, it, onTestFinished } from 'vitest';
import { PartialFile } from '../../../../src/content/local/partial-file.ts';
import type { ContentVersion } from '../../../../src/content/ports.ts';

const VERSION: ContentVersion = { kind: 'file', fileId: 'f1', sizeBytes: 10 };
const ATTRIBUTES = { mode: 0o644, mtimeMs: undefined };

function target(): { readonly directory: string; readonly path: string } {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  onTestFinished(() => removeCallback());
  return { directory: name, path: join(name, 'file') };
}

it('another run goes on with what one has left, and not while that one is at it', async () => {
  const { directory, path } = target();
  const first = await PartialFile.resume(path, VERSION);
  await first.append(Buffer.from('01234'));
  await expect(PartialFile.resume(path, VERSION)).rejects.toThrow('another svcfs cp');
  await first.close();
  const second = await PartialFile.resume(path, VERSION);
  expect(second.sizeBytes).toBe(5);
  await second.append(Buffer.from('56789'));
  await second.finish(path, ATTRIBUTES);
  expect(await readdir(directory)).toEqual(['file']);
  expect(await readFile(path, 'utf8')).toBe('0123456789');
});

it('what is of another content is not gone on with', async () => {
  const { path } = target();
  const first = await PartialFile.resume(path, VERSION);
  await first.append(Buffer.from('01234'));
  await first.close();
  const other = await PartialFile.resume(path, { ...VERSION, fileId: 'f2' });
  expect(other.sizeBytes).toBe(0);
  await other.discard();
});
