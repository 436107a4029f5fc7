import fc from 'fast-check';
import { dirSync } from 'tmp';
import { expect, it } from 'vitest';
import { MemoryPool } from '../../../../../src/content/memory/memory-pool.ts';
import type { ContentVersion, Draft } from '../../../../../src/content/ports.ts';
import { FakePlatform, md5, patterned } from '../../fake-platform.ts';
import { writerOver } from '../writer-over.ts';

const SPAN = 400;
const forever = new AbortController().signal;
const SOURCE = patterned(SPAN, 7);

type Step =
  | { readonly do: 'write'; readonly at: number; readonly length: number; readonly seed: number }
  | { readonly do: 'truncate'; readonly size: number }
  | { readonly do: 'copy'; readonly from: number; readonly at: number; readonly length: number }
  | { readonly do: 'read'; readonly at: number; readonly length: number }
  /** Does not wait for the publication to end. */
  | { readonly do: 'start publishing' }
  | { readonly do: 'publish' }
  | { readonly do: 'sync' };

const at = fc.nat(SPAN);
const length = fc.integer({ min: 1, max: 120 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), at, length, seed: fc.nat(200) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('truncate' as const), size: at }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('copy' as const), from: fc.nat(SPAN - 120), at, length }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), at, length }) },
  fc.record({ do: fc.constant('start publishing' as const) }),
  fc.record({ do: fc.constant('publish' as const) }),
  fc.record({ do: fc.constant('sync' as const) }),
);

/** A draft and what a plain buffer says of it. */
class Modelled {
  readonly #platform: FakePlatform;
  readonly #draft: Draft;
  readonly #source: ContentVersion;
  #bytes: Buffer;
  /** Its contents, one after the other. */
  readonly #contents: Buffer[] = [];
  /**
   * The results of publications that were not waited for, and how many contents there had been when each was asked for.
   */
  readonly #started: { readonly since: number; readonly made: Promise<Buffer | undefined> }[] = [];

  constructor(platform: FakePlatform, draft: Draft, from: { source: ContentVersion; bytes: Buffer }) {
    this.#platform = platform;
    this.#draft = draft;
    this.#source = from.source;
    this.#bytes = from.bytes;
    this.#contents.push(Buffer.from(from.bytes));
  }

  async take(one: Step): Promise<void> {
    await this.#take(one);
    this.#contents.push(Buffer.from(this.#bytes));
  }

  /** Nothing was published that the draft never held as a whole. */
  async expectNoMixture(): Promise<void> {
    for (const { since, made } of this.#started) {
      const bytes = await made;
      expect(this.#contents.slice(since).some((content) => bytes?.equals(content))).toBe(true);
    }
  }

  async #take(one: Step): Promise<void> {
    const draft = this.#draft;
    switch (one.do) {
      case 'write': {
        const data = patterned(one.length, one.seed);
        await draft.write(one.at, data, forever);
        this.#put(one.at, data);
        return;
      }
      case 'truncate':
        await draft.truncate(one.size, forever);
        this.#resize(one.size);
        return;
      case 'copy':
        await draft.copyFrom(this.#source, one.from, { offset: one.at, length: one.length }, forever);
        this.#put(one.at, SOURCE.subarray(one.from, one.from + one.length));
        return;
      case 'read': {
        const { chunks, release } = await draft.read(one.at, one.length, forever);
        expect(Buffer.concat(chunks)).toEqual(this.#bytes.subarray(one.at, one.at + one.length));
        release?.();
        return;
      }
      case 'start publishing':
        this.#started.push({
          since: this.#contents.length - 1,
          made: draft.publish(forever).then(({ id }) => this.#platform.files.get(id)?.bytes),
        });
        return;
      case 'publish':
        await this.publish();
        return;
      case 'sync':
        await draft.sync(forever);
    }
  }

  async publish(): Promise<void> {
    const record = await this.#draft.publish(forever);
    expect(this.#platform.files.get(record.id)?.bytes).toEqual(this.#bytes);
    expect(record.metadata['md5_sum']).toBe(md5(this.#bytes));
    expect(this.#draft.dirty).toBe(false);
  }

  #put(offset: number, data: Uint8Array): void {
    this.#resize(Math.max(this.#bytes.length, offset + data.length));
    this.#bytes.set(data, offset);
  }

  #resize(size: number): void {
    const resized = Buffer.alloc(size);
    this.#bytes.copy(resized);
    this.#bytes = resized;
  }
}

it.each([
  ['new', false],
  ['of an existing file', true],
])('a draft %s reads and publishes what a buffer would hold, whatever is done to it', async (_, existing) => {
  const directory = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
  const platform = new FakePlatform();
  const memory = new MemoryPool(1024 * 1024);
  const writer = writerOver(platform, { memory, directory: directory.name, partSizeBytes: 64, md5Sum: true });
  const versionOf = (bytes: Buffer, name: string): ContentVersion => {
    const { id, sizeBytes } = platform.addFile(bytes, { parent: 'folder', name });
    return { kind: 'file', fileId: id, sizeBytes };
  };
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    platform.files.clear();
    const source = versionOf(SOURCE, 'source');
    const before = existing ? patterned(300, 3) : Buffer.alloc(0);
    const base = existing ? versionOf(before, 'name') : undefined;
    const target = { parent: 'folder', name: 'name', overwrite: true };
    const draft = await writer.draft({ target, base, label: 'name' });
    const modelled = new Modelled(platform, draft, { source, bytes: Buffer.from(before) });
    try {
      for (const one of steps) await modelled.take(one);
      await modelled.publish();
      await modelled.expectNoMixture();
    } finally {
      await draft.discard();
    }
    expect(memory.lentBytes).toBeLessThanOrEqual(memory.limitBytes);
  });
  try {
    await fc.assert(property, { numRuns: 200 });
  } finally {
    await writer.close();
    directory.removeCallback();
  }
});
