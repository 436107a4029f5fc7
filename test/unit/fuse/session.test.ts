import { constants } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReplyRecord } from '../../../src/fuse/observer.ts';
import { OPCODE } from '../../../src/fuse/protocol/opcodes.ts';
import { Session } from '../../../src/fuse/session.ts';
import { errnoNumber } from '../../../src/lib/errno.ts';
import { FsError } from '../../../src/vfs/errors/fs-error.ts';
import type { Entry, NodeId, ReadReply } from '../../../src/vfs/file-system.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryFs } from '../../support/memory-fs.ts';
import { ScriptedKernel } from './scripted-kernel.ts';
import { text, u32, u64 } from './wire.ts';

const { EIO, ENOENT, EILSEQ, EINVAL, ENOSYS, ENXIO, ERANGE, EFBIG, EPERM } = constants.errno;

const errnoOf = (error: unknown): number => (error instanceof FsError ? errnoNumber(error.errno) : EIO);

interface Started<Fs> {
  readonly kernel: ScriptedKernel;
  readonly fs: Fs;
  readonly clock: FakeClock;
  readonly session: Session;
}

function start<Fs extends MemoryFs>(fs: Fs, options: { wantsToStop?: () => boolean } = {}): Started<Fs> {
  const kernel = new ScriptedKernel();
  const clock = new FakeClock();
  const wantsToStop = options.wantsToStop ?? (() => true);
  const session = new Session({ transport: kernel, fs, errnoOf, clock, wantsToStop });
  session.start();
  kernel.ask({ opcode: OPCODE.INIT, body: Buffer.concat([u32(7), u32(45), u32(131072), u32(-1), u32(-1)]) });
  return { kernel, fs, clock, session };
}

describe('a session with a file system that answers at once', () => {
  let kernel: ScriptedKernel;
  let fs: MemoryFs;
  let session: Session;
  let file: NodeId;

  beforeEach(() => {
    ({ kernel, fs, session } = start(new MemoryFs({ ttlMs: 1500 })));
    file = fs.place('file', Buffer.from('hello'));
  });

  afterEach(() => kernel.unmount());

  const open = (): bigint =>
    kernel
      .ask({ opcode: OPCODE.OPEN, node: file, body: Buffer.concat([u32(0), u32(0)]) })
      .body.readBigUInt64LE();

  it('is ready once INIT is answered', async () => {
    await expect(session.ready).resolves.toBeUndefined();
  });

  it('answers LOOKUP with node, timeouts and attributes, and counts one reference', () => {
    const { error, body } = kernel.ask({ opcode: OPCODE.LOOKUP, body: text('file') });
    expect(error).toBe(0);
    expect(body.length).toBe(128);
    expect(body.readBigUInt64LE(0)).toBe(BigInt(file));
    expect(body.readBigUInt64LE(16)).toBe(1n); // entry_valid
    expect(body.readUInt32LE(32)).toBe(500_000_000); // entry_valid_nsec
    expect(body.readBigUInt64LE(48)).toBe(5n); // attr.size
    expect(fs.references().lookups).toBe(1);
  });

  it('tells the kernel to remember an absent name', () => {
    const { error, body } = kernel.ask({ opcode: OPCODE.LOOKUP, body: text('nothing') });
    expect(error).toBe(0);
    expect(body.readBigUInt64LE(0)).toBe(0n);
    expect(body.readBigUInt64LE(16)).toBe(1n);
  });

  it('takes back the reference when the reply was not wanted any more', () => {
    kernel.refusals.push(ENOENT);
    kernel.request({ opcode: OPCODE.LOOKUP, body: text('file') });
    expect(fs.references().lookups).toBe(0);
  });

  it('answers EIO when the kernel refuses a reply as malformed, so that nobody waits for ever', () => {
    kernel.refusals.push(EINVAL);
    expect(kernel.ask({ opcode: OPCODE.LOOKUP, body: text('file') }).error).toBe(-EIO);
    expect(fs.references().lookups).toBe(0);
  });

  it('forgets one by one and in batches without an answer', () => {
    for (let i = 0; i < 5; i++) kernel.ask({ opcode: OPCODE.LOOKUP, body: text('file') });
    const single = kernel.request({ opcode: OPCODE.FORGET, node: file, body: u64(2) });
    const batch = kernel.request({
      opcode: OPCODE.BATCH_FORGET,
      body: Buffer.concat([u32(2), u32(0), u64(file), u64(1), u64(file), u64(2)]),
    });
    expect(fs.references().lookups).toBe(0);
    expect(kernel.replies.has(single) || kernel.replies.has(batch)).toBe(false);
  });

  it('answers EILSEQ to a name that is not UTF-8, and takes U+FFFD itself', () => {
    expect(kernel.ask({ opcode: OPCODE.LOOKUP, body: text(Buffer.from([0x66, 0xff])) }).error).toBe(-EILSEQ);
    expect(kernel.ask({ opcode: OPCODE.LOOKUP, body: text('\ufffd') }).error).toBe(0);
  });

  it('answers EINVAL to a request that is shorter than its struct', () => {
    expect(kernel.ask({ opcode: OPCODE.READ, node: file, body: u64(1) }).error).toBe(-EINVAL);
    expect(kernel.ask({ opcode: OPCODE.LOOKUP, body: Buffer.from('no end') }).error).toBe(-EINVAL);
  });

  it('sends what a read gives from where it lies', () => {
    const body = Buffer.concat([u64(open()), u64(1n), u32(3), u32(0), u64(0), u32(0), u32(0)]);
    const read = vi.spyOn(fs, 'read');
    const send = vi.spyOn(kernel, 'send');
    expect(kernel.ask({ opcode: OPCODE.READ, node: file, body }).body.toString()).toBe('ell');
    const [given] = (read.mock.results[0]?.value as ReadReply | undefined)?.chunks ?? [];
    const [, { chunks: sent } = { chunks: [] }] = send.mock.calls[0] ?? [];
    expect(sent).toHaveLength(1);
    expect(sent[0]).toBe(given);
  });

  it('answers EFBIG for offsets that are no exact number', () => {
    const body = Buffer.concat([u64(open()), u64(2n ** 60n), u32(10), u32(0), u64(0), u32(0), u32(0)]);
    expect(kernel.ask({ opcode: OPCODE.READ, node: file, body }).error).toBe(-EFBIG);
  });

  it.each([2n ** 60n, -1n])('answers ENXIO to who looks for data or a hole from %s on', (offset) => {
    for (const whence of [3, 4]) {
      const body = Buffer.concat([u64(open()), u64(offset), u32(whence), u32(0)]);
      expect(kernel.ask({ opcode: OPCODE.LSEEK, node: file, body }).error).toBe(-ENXIO);
    }
  });

  it('refuses to exchange names and to make devices', () => {
    const rename = Buffer.concat([u64(1), u32(2), u32(0), text('file'), text('other')]);
    expect(kernel.ask({ opcode: OPCODE.RENAME2, body: rename }).error).toBe(-EINVAL);
    const fifo = Buffer.concat([u32(0o010644), u32(0), u32(0o22), u32(0), text('fifo')]);
    expect(kernel.ask({ opcode: OPCODE.MKNOD, body: fifo }).error).toBe(-EPERM);
  });

  it('answers ENOSYS to what it does not know, which the kernel remembers', () => {
    for (const opcode of [OPCODE.POLL, 37, 50, 51, 52, 99]) {
      expect(kernel.ask({ opcode }).error).toBe(-ENOSYS);
    }
  });

  it('tells the length of an attribute, gives it when there is room, else ERANGE', () => {
    const set = Buffer.concat([u32(3), u32(0), text('user.a'), Buffer.from('xyz')]);
    expect(kernel.ask({ opcode: OPCODE.SETXATTR, node: file, body: set }).error).toBe(0);
    const get = (room: number) =>
      kernel.ask({
        opcode: OPCODE.GETXATTR,
        node: file,
        body: Buffer.concat([u32(room), u32(0), text('user.a')]),
      });
    expect(get(0).body).toEqual(Buffer.concat([u32(3), u32(0)]));
    expect(get(3).body.toString()).toBe('xyz');
    expect(get(2).error).toBe(-ERANGE);
    const list = (room: number) =>
      kernel.ask({ opcode: OPCODE.LISTXATTR, node: file, body: Buffer.concat([u32(room), u32(0)]) });
    expect(list(0).body.readUInt32LE()).toBe(7);
    expect(list(100).body.toString()).toBe('user.a\0');
    expect(list(6).error).toBe(-ERANGE);
  });

  it('gives a listing without and with attributes, and counts a reference for the latter only', () => {
    const { body: opened } = kernel.ask({ opcode: OPCODE.OPENDIR, body: u64(0) });
    const read = Buffer.concat([opened.subarray(0, 8), u64(0), u32(4096), u32(0), u64(0), u64(0)]);
    const plain = kernel.ask({ opcode: OPCODE.READDIR, body: read }).body;
    expect(plain.length).toBe(32 + 32 + 32);
    expect(plain.subarray(88, 92).toString()).toBe('file');
    expect(plain.readUInt32LE(84)).toBe(8); // DT_REG
    expect(fs.references().lookups).toBe(0);
    const plus = kernel.ask({ opcode: OPCODE.READDIRPLUS, body: read }).body;
    expect(plus.length).toBe(3 * 160);
    expect(plus.readBigUInt64LE(0)).toBe(0n); // `.` tells the kernel no node
    expect(plus.readBigUInt64LE(320)).toBe(BigInt(file));
    expect(fs.references().lookups).toBe(1);
  });

  it('ends a listing where the reply is full', () => {
    const { body: opened } = kernel.ask({ opcode: OPCODE.OPENDIR, body: u64(0) });
    const read = Buffer.concat([opened.subarray(0, 8), u64(0), u32(330), u32(0), u64(0), u64(0)]);
    expect(kernel.ask({ opcode: OPCODE.READDIRPLUS, body: read }).body.length).toBe(320);
    expect(fs.references().lookups).toBe(0);
  });

  it('answers copies in 32 bits and in 64', () => {
    const to = fs.place('to', Buffer.alloc(0));
    const target = kernel
      .ask({ opcode: OPCODE.OPEN, node: to, body: Buffer.concat([u32(2), u32(0)]) })
      .body.subarray(0, 8);
    const body = Buffer.concat([
      u64(open()),
      u64(0),
      u64(to),
      target,
      u64(0),
      u64(0x7fffffffc0000000n),
      u64(0),
    ]);
    expect(kernel.ask({ opcode: OPCODE.COPY_FILE_RANGE, node: file, body }).body).toEqual(
      Buffer.concat([u32(5), u32(0)]),
    );
    expect(kernel.ask({ opcode: OPCODE.COPY_FILE_RANGE_64, node: file, body }).body).toEqual(u64(5));
  });

  it('detaches the file system once, when the kernel is gone', async () => {
    kernel.unmount();
    kernel.unmount();
    await session.closed;
    expect([fs.detached, kernel.closed]).toEqual([true, true]);
  });
});

describe('a session whose handlers fail', () => {
  it.each([
    [
      'throws an Error',
      () => {
        throw new Error('bug');
      },
    ],
    [
      'throws nothing at all',
      () => {
        throw undefined;
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('bug'))],
    ['answers nonsense', () => undefined as unknown as Entry],
  ])('answers EIO when the handler %s', async (_, lookup) => {
    const { kernel } = start(Object.assign(new MemoryFs(), { lookup }));
    const unique = kernel.request({ opcode: OPCODE.LOOKUP, body: text('file') });
    await new Promise((resolve) => setImmediate(resolve));
    expect(kernel.reply(unique).error).toBe(-EIO);
    expect(kernel.freeSlots.length).toBe(kernel.slots);
  });

  it('never answers ENOSYS for a handler, which would end the operation for all of the mount', () => {
    const fs = Object.assign(new MemoryFs(), {
      getxattr: () => {
        throw new FsError('ENOSYS', 'not here');
      },
    });
    const { kernel } = start(fs);
    const body = Buffer.concat([u32(0), u32(0), text('user.a')]);
    expect(kernel.ask({ opcode: OPCODE.GETXATTR, body }).error).toBe(-constants.errno.EOPNOTSUPP);
  });

  it.each(['ENOENT', 'ENOTDIR'] as const)('never answers %s to who reads a directory', (errno) => {
    const fs = Object.assign(new MemoryFs(), {
      readdir: () => {
        throw new FsError(errno, 'gone');
      },
    });
    const { kernel } = start(fs);
    for (const opcode of [OPCODE.READDIR, OPCODE.READDIRPLUS]) {
      const body = Buffer.concat([u64(1), u64(0), u32(4096), u32(0), u64(0), u32(0), u32(0)]);
      expect(kernel.ask({ opcode, body }).error).toBe(-constants.errno.ESTALE);
    }
  });

  it('answers EIO when errnoOf gives a number the kernel would refuse', () => {
    const fs = Object.assign(new MemoryFs(), {
      lookup: () => {
        throw new Error('524');
      },
    });
    const kernel = new ScriptedKernel();
    new Session({ transport: kernel, fs, errnoOf: () => 524 }).start();
    expect(kernel.ask({ opcode: OPCODE.LOOKUP, body: text('file') }).error).toBe(-EIO);
  });
});

it('tells of READs that the transport answered beside another, one by one', () => {
  const kernel = new ScriptedKernel();
  const records: ReplyRecord[] = [];
  const observer = { onReply: (record: ReplyRecord) => records.push(record) };
  new Session({ transport: kernel, fs: new MemoryFs(), errnoOf, observer }).start();
  kernel.answeredBeside = 2;
  kernel.ask({ opcode: OPCODE.LOOKUP, body: text('nothing') });
  expect(records.map(({ operation }) => operation)).toEqual(['LOOKUP', 'LOOKUP', 'LOOKUP']);
});
