/** A reader over a platform in memory, and what tests of it share. */
import { allocateChunk } from '../../../../src/content/memory/chunk.ts';
import { MemoryPool } from '../../../../src/content/memory/memory-pool.ts';
import type { ContentReader, ContentVersion, OpenVersion } from '../../../../src/content/ports.ts';
import { createContentReader } from '../../../../src/content/read/content-reader.ts';
import type { ByteChunks } from '../../../../src/lib/byte-chunks.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakePlatform } from '../fake-platform.ts';

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const forever = new AbortController();

export interface Setup {
  readonly platform: FakePlatform;
  readonly reader: ContentReader;
  readonly memory: MemoryPool;
  readonly clock: FakeClock;
}

export function setup(limitBytes = 64 * MIB, allocate = allocateChunk): Setup {
  const platform = new FakePlatform();
  const clock = new FakeClock();
  const memory = new MemoryPool(limitBytes, { allocate, clock });
  const reader = createContentReader({ api: platform.api, storage: platform.storage, memory, clock });
  return { platform, reader, memory, clock };
}

export function fileVersion(platform: FakePlatform, bytes: Buffer): ContentVersion {
  return { kind: 'file', fileId: platform.addFile(bytes).id, sizeBytes: bytes.length };
}

export async function bytesOf(lent: ByteChunks | Promise<ByteChunks>): Promise<Buffer> {
  const { chunks, release } = await lent;
  const bytes = Buffer.concat(chunks);
  release?.();
  return bytes;
}

export async function readAll(handle: OpenVersion, pieceBytes = 128 * KIB): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < handle.version.sizeBytes; at += pieceBytes) {
    pieces.push(await bytesOf(handle.read(at, pieceBytes, forever)));
  }
  return Buffer.concat(pieces);
}

export function bytesFetched({ ranges }: FakePlatform): number {
  return ranges.reduce((sum, { length }) => sum + length, 0);
}
