/** A version that gives fewer bytes than it is asked for: whoever needs all of them hears of it. */
import { expect, it } from 'vitest';
import { MemoryPool } from '../../../../../src/content/memory/memory-pool.ts';
import type { ContentReader } from '../../../../../src/content/ports.ts';
import { FetchTurns } from '../../../../../src/content/write/spool/fetch-turns.ts';
import { OpenVersions } from '../../../../../src/content/write/spool/open-versions.ts';
import { forever } from '../draft-world.ts';

const HAS = Buffer.from('all there is');
const version = { kind: 'file', fileId: 'f1', sizeBytes: HAS.length } as const;
const REASON = /^file f1 has no 5 bytes at 10$/;

/** As the reader has it: what is read past the end is cut. */
function versionsOf(onRelease: () => void): OpenVersions {
  const reader: ContentReader = {
    open: () => ({
      version,
      prepare: () => undefined,
      inspect: () => Promise.reject(new Error('not asked for')),
      read: (offset, sizeBytes) => ({
        chunks: [HAS.subarray(offset, offset + sizeBytes)],
        release: onRelease,
      }),
      close: () => undefined,
    }),
  };
  return new OpenVersions(reader, new FetchTurns(new MemoryPool(64 * 1024 * 1024)));
}

it.each([
  [
    'a program',
    (versions: OpenVersions) => versions.read({ kind: 'version', version, offset: 10 }, 5, forever),
  ],
  [
    'a part',
    (versions: OpenVersions) =>
      versions.copy({ kind: 'version', version, offset: 10 }, Buffer.alloc(5, 'old'), forever),
  ],
  [
    'the spool',
    (versions: OpenVersions) =>
      versions.fetch(
        { kind: 'version', version, offset: 10 },
        { sizeBytes: 5, place: async () => undefined, signal: forever },
      ),
  ],
])('is told to %s, and gets its memory back', async (_, ask) => {
  let released = 0;
  const versions = versionsOf(() => {
    released += 1;
  });
  await expect((async () => ask(versions))()).rejects.toThrow(REASON);
  expect(released).toBe(1);
});
