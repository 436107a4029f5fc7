import { expect, it } from 'vitest';
import { MemoryPool } from '../../../../src/content/memory/memory-pool.ts';
import type { ContentVersion } from '../../../../src/content/ports.ts';
import { createContentReader } from '../../../../src/content/read/content-reader.ts';
import { StoreOrigins } from '../../../../src/content/read/store-origins.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakePlatform } from '../fake-platform.ts';

const MIB = 1024 * 1024;

const file: ContentVersion = { kind: 'file', fileId: 'f1', sizeBytes: 1 };
const object = (volume: string): ContentVersion => ({
  kind: 'object',
  volume,
  location: 'a',
  etag: undefined,
  sizeBytes: 1,
});

it('expects files where the last one was, and before that where the service says', () => {
  const origins = new StoreOrigins(() => 'https://said');
  expect(origins.expected(file)).toBe('https://said');
  origins.learn(file, 'https://seen:8443/blob?signature=1');
  expect(origins.expected(file)).toBe('https://seen:8443');
});

it('expects the objects of each volume where the last of that volume was', () => {
  const origins = new StoreOrigins(() => 'https://said');
  origins.learn(object('alice/one'), 'https://one/a');
  expect(origins.expected(object('alice/one'))).toBe('https://one');
  expect(origins.expected(object('alice/two'))).toBeUndefined();
});

it('a link that is no address teaches nothing', () => {
  const origins = new StoreOrigins(() => undefined);
  origins.learn(file, 'nonsense');
  expect(origins.expected(file)).toBeUndefined();
});

/** A reader whose platform gives links when the test says so. */
function waitingForLink() {
  const platform = new FakePlatform();
  const ahead: unknown[] = [];
  let giveLink: () => void = () => {};
  const linked = new Promise<void>((resolve) => {
    giveLink = resolve;
  });
  platform.on = () => linked;
  const reader = createContentReader({
    api: { ...platform.api, downloadOrigin: () => 'https://store' },
    storage: { ...platform.storage, connectAhead: (...asked) => ahead.push(asked) },
    memory: new MemoryPool(64 * 1024 * 1024),
    clock: new FakeClock(),
  });
  const bytes = Buffer.alloc(4 * MIB, 'x');
  const handle = reader.open({ kind: 'file', fileId: platform.addFile(bytes).id, sizeBytes: bytes.length });
  return { handle, bytes, ahead, giveLink };
}

it('a reader connects for each range that waits for the link', async () => {
  const { handle, bytes, ahead, giveLink } = waitingForLink();
  const reading = handle.read(0, MIB, new AbortController());
  expect(ahead.slice(0, 4)).toEqual([1, 2, 3, 4].map((connections) => ['https://store', connections]));
  const before = ahead.length;
  giveLink();
  expect(Buffer.concat((await reading).chunks).equals(bytes.subarray(0, MIB))).toBe(true);
  expect(await handle.read(3 * MIB, MIB, new AbortController())).toBeDefined();
  expect(ahead).toHaveLength(before);
});

it('a file that is opened has a connection made while its link is asked for', () => {
  const { handle, ahead } = waitingForLink();
  void handle.prepare();
  expect(ahead).toEqual([['https://store', 1]]);
});
