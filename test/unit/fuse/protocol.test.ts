import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyReader } from '../../../src/fuse/protocol/body-reader.ts';
import { DirectoryBuffer, DirectoryPlusBuffer } from '../../../src/fuse/protocol/directory-buffer.ts';
import { negotiate, readKernelOffer, writeAgreement } from '../../../src/fuse/protocol/init.ts';
import {
  expireAllEntriesMessage,
  invalidateEntryMessage,
  invalidateNodeMessage,
} from '../../../src/fuse/protocol/notifications.ts';
import { StructWriter } from '../../../src/fuse/protocol/struct-writer.ts';
import { joinTime, splitTime } from '../../../src/lib/nanoseconds.ts';
import type { Attributes, NodeId } from '../../../src/vfs/file-system.ts';
import { hex, text, u32, u64 } from './wire.ts';

const ATTRIBUTES: Attributes = {
  ino: 0xffff_ffff_ffff_fff0n,
  mode: 0o100640,
  nlink: 1,
  uid: 1000,
  gid: 100,
  sizeBytes: 513,
  atimeNs: 1_700_000_000_001_000_007n,
  mtimeNs: -1n,
  ctimeNs: 0n,
};

/** fuse_attr of the above, field by field as in linux/fuse.h. */
const ATTRIBUTES_BYTES = hex(`
  f0ffffffffffffff 0102000000000000 0200000000000000
  00f1536500000000 ffffffffffffffff 0000000000000000
  47420f00 ffc99a3b 00000000
  a0810000 01000000 e8030000 64000000 00000000 00800000 00000000`);

function written(length: number, write: (writer: StructWriter) => void): Buffer {
  const bytes = Buffer.alloc(length, 0xaa);
  const writer = new StructWriter(bytes);
  write(writer);
  return bytes.subarray(0, writer.position);
}

function reading(bytes: Uint8Array): BodyReader {
  const reader = new BodyReader(Uint8Array.from(bytes).buffer);
  reader.seek(0, bytes.length);
  return reader;
}

describe('replies on the wire', () => {
  it('writes the header with the error negative', () => {
    expect(
      written(16, (writer) => writer.outHeader(16, -2, { uniqueLow: 0x9abc_def0, uniqueHigh: 0x1234_5678 })),
    ).toEqual(hex('10000000 feffffff f0debc9a78563412'));
  });

  it('writes attributes with blocks of 512 bytes, rounded up', () => {
    expect(written(88, (writer) => writer.attributes(ATTRIBUTES))).toEqual(ATTRIBUTES_BYTES);
  });

  it('writes an entry: node, generation, two timeouts, attributes', () => {
    const entry = { node: 7 as NodeId, attributes: ATTRIBUTES, entryTtlMs: 60_000, attributesTtlMs: 1_250 };
    expect(written(128, (writer) => writer.entry(entry))).toEqual(
      Buffer.concat([
        hex('0700000000000000 0000000000000000 3c00000000000000 0100000000000000 00000000 80b2e60e'),
        ATTRIBUTES_BYTES,
      ]),
    );
  });

  it('writes an absent entry with node 0 and all of its 128 bytes set', () => {
    const bytes = written(128, (writer) => writer.absentEntry(2_500));
    expect(bytes).toEqual(
      Buffer.concat([u64(0), u64(0), u64(2), u64(0), u32(500_000_000), Buffer.alloc(92)]),
    );
  });

  it('pads each directory record to eight bytes', () => {
    const buffer = new DirectoryBuffer(64);
    expect(buffer.add({ name: 'abc', ino: 5n, type: 0o040000, nextOffset: 1 })).toBe(true);
    expect(buffer.add({ name: 'é', ino: 6n, type: 0o100000, nextOffset: 2 })).toBe(true);
    expect(buffer.add({ name: 'x', ino: 7n, type: 0o100000, nextOffset: 3 })).toBe(false);
    expect(Buffer.from(buffer.filled)).toEqual(
      hex(`0500000000000000 0100000000000000 03000000 04000000 6162630000000000
           0600000000000000 0200000000000000 02000000 08000000 c3a9000000000000`),
    );
  });
});

describe('notifications on the wire', () => {
  it('names the node and the first page to drop', () => {
    expect(Buffer.from(invalidateNodeMessage(9 as NodeId, -1))).toEqual(
      hex('28000000 02000000 0000000000000000 0900000000000000 ffffffffffffffff 0000000000000000'),
    );
  });

  it('names the directory and the entry', () => {
    expect(Buffer.from(invalidateEntryMessage(1 as NodeId, 'ab'))).toEqual(
      hex('23000000 03000000 0000000000000000 0100000000000000 02000000 00000000 616200'),
    );
  });

  it('expires all names in 16 bytes', () => {
    expect(Buffer.from(expireAllEntriesMessage())).toEqual(hex('10000000 08000000 0000000000000000'));
  });
});

describe('INIT', () => {
  const offer = (minor: number, flags: number, flags2: number) =>
    readKernelOffer(
      reading(Buffer.concat([u32(7), u32(minor), u32(131072), u32(flags), u32(flags2), Buffer.alloc(44)])),
    );

  it('takes what both know: flags, the second word of flags, the older minor version', () => {
    expect(negotiate(offer(45, 0xffff_ffff, 0xffff_ffff))).toEqual({
      minor: 45,
      maxReadahead: 131072,
      // ASYNC_READ ATOMIC_O_TRUNC BIG_WRITES DO_READDIRPLUS PARALLEL_DIROPS ABORT_ERROR
      // MAX_PAGES HANDLE_KILLPRIV_V2 INIT_EXT
      flags: 0x5064_2029,
      flags2: 0x40,
    });
    expect(negotiate(offer(99, 1, 0))).toMatchObject({ minor: 45, flags: 1 });
    expect(negotiate(offer(36, 0, 0))).toMatchObject({ minor: 36 });
  });

  it('does not read the second word when the kernel does not say that it is there', () => {
    expect(offer(45, 1, 0xffff_ffff).flags2).toBe(0);
  });

  it('agrees to passthrough, one file system deep, when asked to', () => {
    const agreement = negotiate(offer(45, 0xffff_ffff, 0xffff_ffff), { passthrough: true });
    expect(agreement).toMatchObject({ flags2: 0x60 });
    if (agreement === undefined) return;
    const answer = written(64, (writer) => writeAgreement(writer, agreement));
    expect(answer.readUInt32LE(36)).toBe(1);
    expect(negotiate(offer(39, 0xffff_ffff, 0x40), { passthrough: true })).toMatchObject({ flags2: 0x40 });
  });

  it('refuses kernels before 7.31', () => {
    expect(negotiate(offer(30, 0xffff_ffff, 0))).toBeUndefined();
  });

  it('answers in the 64 bytes of fuse_init_out', () => {
    const agreement = { minor: 45, maxReadahead: 0x20000, flags: 0x5064_6029, flags2: 0x40 };
    expect(written(64, (writer) => writeAgreement(writer, agreement))).toEqual(
      Buffer.concat([
        hex('07000000 2d000000 00000200 29606450 0001 c000 00001000 01000000 0001 0000 40000000'),
        Buffer.alloc(28),
      ]),
    );
  });
});

describe('fields of requests', () => {
  it('reads signed seconds and keeps 64 bits where they matter', () => {
    const body = reading(Buffer.concat([u64(-5), u64(0xffff_ffff_ffff_ffffn), text('a b')]));
    expect(body.seconds()).toBe(-5);
    expect(body.big()).toBe(0xffff_ffff_ffff_ffffn);
    expect(body.text()).toBe('a b');
    expect(body.remaining).toBe(0);
  });

  it('clamps a length that is only a bound', () => {
    expect(reading(u64(2n ** 63n - 1n)).bound()).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('reads back any safe integer that was written', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        expect(reading(written(8, (writer) => writer.u64(value))).offset()).toBe(value);
      }),
    );
  });

  it('reads back any name of well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
        fc.pre(!name.includes('\0'));
        expect(reading(text(name)).text()).toBe(name);
      }),
    );
  });
});

describe('times', () => {
  it('are exact through seconds and nanoseconds, before 1970 too', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 72n), max: 2n ** 72n }), (timeNs) => {
        const { seconds, nanoseconds } = splitTime(timeNs);
        expect(nanoseconds).toBeGreaterThanOrEqual(0);
        expect(nanoseconds).toBeLessThan(1e9);
        expect(joinTime(seconds, nanoseconds)).toBe(timeNs);
      }),
    );
  });
});

describe('a directory reply', () => {
  it('holds what it accepted, never more than its size, and counts what it told', () => {
    const entry = { node: 3 as NodeId, attributes: ATTRIBUTES, entryTtlMs: 0, attributesTtlMs: 0 };
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5000 }),
        fc.array(fc.string({ maxLength: 40 })),
        (size, names) => {
          const buffer = new DirectoryPlusBuffer(size);
          const accepted = names.filter((name, i) =>
            buffer.addWithAttributes({ name, ino: 1n, type: 0o100000, nextOffset: i }, entry),
          );
          expect(buffer.filled.length).toBeLessThanOrEqual(size);
          expect(buffer.filled.length % 8).toBe(0);
          expect(buffer.counted).toHaveLength(accepted.length);
        },
      ),
    );
  });
});
