import { MemoryPool } from '../../../../src/content/memory/memory-pool.ts';
import type { ContentWriter } from '../../../../src/content/ports.ts';
import { createContentReader } from '../../../../src/content/read/content-reader.ts';
import {
  type ContentWriterOptions,
  createContentWriter,
} from '../../../../src/content/write/content-writer.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import type { FakePlatform } from '../fake-platform.ts';

const MIB = 1024 * 1024;

/** A writer over a platform in memory, and a reader for what its drafts build on. */
export function writerOver(
  { api, storage }: FakePlatform,
  {
    memory = new MemoryPool(MIB),
    ...options
  }: Partial<ContentWriterOptions> & Pick<ContentWriterOptions, 'directory' | 'partSizeBytes'>,
): ContentWriter {
  const clock = new FakeClock();
  const reader = createContentReader({ api, storage, memory, clock });
  return createContentWriter({
    api,
    storage,
    reader,
    memory,
    clock,
    deliver: async () => {},
    ...options,
  });
}
