import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { patterned } from '../../fake-platform.ts';
import {
  afterKill,
  directory,
  forever,
  newDraft,
  owed,
  platform,
  useRecoveryWorld,
  writerIn,
  writers,
} from '../recovery-world.ts';

useRecoveryWorld();

type Step =
  | { readonly do: 'write'; readonly at: number; readonly length: number; readonly seed: number }
  | { readonly do: 'append'; readonly length: number; readonly seed: number }
  | { readonly do: 'truncate'; readonly size: number }
  | { readonly do: 'sync' }
  | { readonly do: 'close' };

/** A killed mount sends no more: here none sends before it is told to. */
const partSizeBytes = 1024 * 1024;

/** About as large as what the journal takes itself. */
const at = fc.nat(20_000);
const length = fc.integer({ min: 1, max: 20_000 });
const seed = fc.nat(200);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('write' as const), at, length, seed }),
  fc.record({ do: fc.constant('append' as const), length, seed }),
  fc.record({ do: fc.constant('truncate' as const), size: at }),
  fc.record({ do: fc.constant('sync' as const) }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('close' as const) }) },
);

/** The content that a close acknowledged last; `whole`: no byte of it was changed since. */
interface Closed {
  readonly bytes: Buffer;
  readonly whole: boolean;
}

it.each(['first', 'later'])(
  'a kill leaves what was closed last, or nothing of it: in the %s run of the machine',
  async (bootId) => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const draft = await newDraft(writerIn(join(directory.name, 'live'), { partSizeBytes }));
      let bytes = Buffer.alloc(0);
      let closed: Closed | undefined;
      const put = (offset: number, data: Buffer): void => {
        const grown = Buffer.alloc(Math.max(bytes.length, offset + data.length));
        bytes.copy(grown);
        data.copy(grown, offset);
        bytes = grown;
      };
      for (const one of steps) {
        if (one.do === 'close') {
          await draft.commit(forever);
          closed = { bytes: Buffer.from(bytes), whole: true };
        } else if (one.do === 'sync') {
          await draft.sync(forever);
        } else if (one.do === 'truncate') {
          await draft.truncate(one.size, forever);
          bytes = Buffer.concat([bytes.subarray(0, one.size)], one.size);
        } else {
          const offset = one.do === 'append' ? bytes.length : one.at;
          await draft.write(offset, patterned(one.length, one.seed), forever);
          put(offset, patterned(one.length, one.seed));
        }
        const isChanged =
          closed !== undefined && !bytes.subarray(0, closed.bytes.length).equals(closed.bytes);
        if (closed && isChanged) closed = { ...closed, whole: false };
      }
      const path = await afterKill();
      for (const { outcome } of await writerIn(path, { bootId, partSizeBytes }).recover())
        if (outcome.kind === 'owed') await owed(outcome).finish();
      const published = platform.named('folder', 'new.bam')?.bytes;
      if (published !== undefined)
        expect(published.equals(closed?.bytes ?? Buffer.from('nothing'))).toBe(true);
      else expect(closed?.whole === true && closed.bytes.length > 0).toBe(false);
      await Promise.all(writers.splice(0).map((writer) => writer.close()));
      platform.files.clear();
      for (const name of ['live', 'after-kill']) await rm(join(directory.name, name), { recursive: true });
    });
    await fc.assert(property, { numRuns: 150 });
  },
);
