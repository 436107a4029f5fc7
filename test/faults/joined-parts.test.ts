/** A process that joins parts is killed again and again: every blob keeps its bytes, and becomes one file in the end. */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { DirectoryBlobStore } from '../../src/service/storage/blobs/directory-blob-store.ts';
import { UrlSigner } from '../../src/service/storage/blobs/url-signer.ts';
import { BackgroundProcess } from '../support/background-process.ts';

const WORKER = fileURLToPath(new URL('join-parts-worker.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('../support/run-typescript.mjs', import.meta.url));
const KILLS = 12;
const PART_BYTES = 1_000_001;
const PARTS = 8;

const directory = dirSync({ unsafeCleanup: true });
/** A new one each time: what one remembers, a process that starts does not know. */
const open = (): DirectoryBlobStore =>
  new DirectoryBlobStore({
    root: directory.name,
    signer: new UrlSigner(randomBytes(32), systemClock),
    partUrlSeconds: 60,
    downloadUrlSeconds: 60,
  });
beforeAll(() => open().prepare());
afterAll(() => directory.removeCallback());

async function uploaded(bytes: Buffer): Promise<string> {
  const store = open();
  const target = await store.beginUpload();
  const parts = [];
  for (let at = 0; at * PART_BYTES < bytes.length; at += 1) {
    const piece = bytes.subarray(at * PART_BYTES, (at + 1) * PART_BYTES);
    const part = await store.receivePart(target.key, at + 1, Readable.from([piece]));
    parts.push({ partNumber: at + 1, etag: part?.etag ?? '' });
  }
  return (await store.completeUpload(target, parts)).key;
}

test('no byte of a blob is lost', async () => {
  const contents = new Map<string, Buffer>();
  const holdsAll = async (): Promise<void> => {
    const store = open();
    for (const [key, bytes] of contents) {
      const blob = await store.open(key);
      expect((await buffer(blob?.stream() ?? Readable.from([]))).equals(bytes), key).toBe(true);
    }
  };
  for (let round = 0; round < KILLS; round += 1) {
    const bytes = randomBytes(PARTS * PART_BYTES);
    contents.set(await uploaded(bytes), bytes);
    const worker = new BackgroundProcess(process.execPath, ['--import', LOADER, WORKER, directory.name]);
    try {
      await worker.says(/begun/);
      // Each round a little later, so that the kills meet every step.
      await new Promise((resolve) => setTimeout(resolve, round * 4));
    } finally {
      worker.signal('SIGKILL');
      await worker.exited();
    }
    await holdsAll();
  }
  const store = open();
  for await (const parted of store.parted(Date.now() + 60_000))
    await parted.join(new AbortController().signal);
  await holdsAll();
  const folders = await readdir(join(directory.name, 'blobs'));
  const names = await Promise.all(folders.map((folder) => readdir(join(directory.name, 'blobs', folder))));
  expect(names.flat().sort()).toEqual([...contents.keys()].sort());
  expect(await readdir(join(directory.name, 'uploads'))).toEqual([]);
});
