import { constants } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPCODE } from '../../../src/fuse/protocol/opcodes.ts';
import { Session } from '../../../src/fuse/session.ts';
import { errnoNumber } from '../../../src/lib/errno.ts';
import { FsError } from '../../../src/vfs/errors/fs-error.ts';
import type {
  AbsentEntry,
  Entry,
  FileHandle,
  NodeId,
  OpenReply,
  ReadReply,
  RequestContext,
} from '../../../src/vfs/file-system.ts';
import { ROOT_NODE } from '../../../src/vfs/file-system.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryFs } from '../../support/memory-fs.ts';
import { ScriptedKernel } from './scripted-kernel.ts';
import { text, u32, u64 } from './wire.ts';

const { EIO, EINTR } = constants.errno;

/** A file system whose answers wait until the test says so. */
class WaitingFs extends MemoryFs {
  readonly #gates: (() => void)[] = [];
  readonly released: FileHandle[] = [];
  readonly signals: AbortSignal[] = [];
  waits = true;

  /** Lets everything go on that waits. */
  async goOn(): Promise<void> {
    for (const open of this.#gates.splice(0)) open();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #gate(context: RequestContext): Promise<void> {
    this.signals.push(context.signal);
    if (this.waits) await new Promise<void>((resolve) => this.#gates.push(resolve));
  }

  override async lookup(parent: NodeId, name: string, context: RequestContext): Promise<Entry | AbsentEntry> {
    await this.#gate(context);
    return super.lookup(parent, name, context);
  }

  override async open(node: NodeId, flags: number, context: RequestContext): Promise<OpenReply> {
    await this.#gate(context);
    return super.open(node, flags, context);
  }

  override async mkdir(parent: NodeId, name: string, mode: number, context: RequestContext): Promise<Entry> {
    await this.#gate(context);
    return super.mkdir(parent, name, mode, context);
  }

  override async write(
    handle: FileHandle,
    offset: number,
    data: Uint8Array,
    context: RequestContext,
  ): Promise<number> {
    await this.#gate(context);
    return super.write(handle, offset, data, context);
  }

  override async read(
    handle: FileHandle,
    offset: number,
    size: number,
    context: RequestContext,
  ): Promise<ReadReply> {
    await this.#gate(context);
    return super.read(handle, offset, size, context);
  }

  override async copyFileRange(...copy: Parameters<MemoryFs['copyFileRange']>): Promise<number> {
    await this.#gate(copy[3]);
    return super.copyFileRange(...copy);
  }

  override release(handle: FileHandle): void {
    this.released.push(handle);
    void super.release(handle);
  }
}

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

describe('a session whose handlers wait', () => {
  let started: Started<WaitingFs>;
  let file: NodeId;

  beforeEach(() => {
    started = start(new WaitingFs());
    file = started.fs.place('file', Buffer.from('hello'));
  });

  afterEach(() => started.kernel.unmount());

  const interrupt = (unique: bigint): void => {
    started.kernel.request({ opcode: OPCODE.INTERRUPT, body: u64(unique) });
  };

  it('frees the slot before the answer', () => {
    started.kernel.request({ opcode: OPCODE.LOOKUP, body: text('file') });
    expect(started.kernel.freeSlots.length).toBe(started.kernel.slots);
  });

  it('fires the signal at once and answers EINTR within 100 ms, the handler notwithstanding', async () => {
    const { kernel, clock, fs } = started;
    const unique = kernel.request({ opcode: OPCODE.LOOKUP, body: text('file') });
    interrupt(unique);
    await clock.advance(0);
    expect(fs.signals[0]?.aborted).toBe(true);
    expect(kernel.replies.has(unique)).toBe(false);
    await clock.advance(99);
    expect(kernel.reply(unique).error).toBe(-EINTR);
  });

  it('lets an interrupted handler answer by itself', async () => {
    const { kernel, clock, fs } = started;
    const unique = kernel.request({ opcode: OPCODE.LOOKUP, body: text('file') });
    interrupt(unique);
    await fs.goOn();
    expect(kernel.reply(unique).error).toBe(0);
    await clock.advance(1000);
    expect(fs.references().lookups).toBe(1);
  });

  it('does not disturb a program whose signal only notifies, and stops it when another means to', async () => {
    let stop = false;
    const { kernel, clock, fs } = start(new WaitingFs(), { wantsToStop: () => stop });
    const unique = kernel.request({ opcode: OPCODE.LOOKUP, body: text('file') });
    kernel.request({ opcode: OPCODE.INTERRUPT, body: u64(unique) });
    await clock.advance(10_000);
    expect(fs.signals[0]?.aborted).toBe(false);
    expect(kernel.replies.has(unique)).toBe(false);
    stop = true;
    await clock.advance(100);
    expect(kernel.reply(unique).error).toBe(-EINTR);
  });

  it('gives back the reference of a LOOKUP that came too late', async () => {
    const { kernel, clock, fs } = started;
    interrupt(kernel.request({ opcode: OPCODE.LOOKUP, body: text('file') }));
    await clock.advance(100);
    await fs.goOn();
    expect(fs.references().lookups).toBe(0);
  });

  it('releases the handle of an OPEN that came too late', async () => {
    const { kernel, clock, fs } = started;
    interrupt(kernel.request({ opcode: OPCODE.OPEN, node: file, body: u64(0) }));
    await clock.advance(100);
    await fs.goOn();
    expect(fs.released).toEqual([1]);
    expect(fs.references().handles).toBe(0);
  });

  it('invalidates a name that a late MKDIR made after all', async () => {
    const { kernel, clock, fs } = started;
    interrupt(
      kernel.request({ opcode: OPCODE.MKDIR, body: Buffer.concat([u32(0o755), u32(0), text('late')]) }),
    );
    await clock.advance(100);
    await fs.goOn();
    await new Promise((resolve) => setImmediate(resolve));
    expect(kernel.notifications).toHaveLength(1);
    expect(kernel.notifications[0]?.subarray(32).toString()).toBe('late\0');
  });

  it('invalidates what a late copy has written after all', async () => {
    const { kernel, clock, fs } = started;
    const to = fs.place('to', Buffer.alloc(0));
    fs.waits = false;
    const opening = [file, to].map((node) => kernel.request({ opcode: OPCODE.OPEN, node, body: u64(2) }));
    await fs.goOn();
    fs.waits = true;
    const [from, target] = opening.map((unique) => kernel.reply(unique).body.subarray(0, 8));
    if (from === undefined || target === undefined) throw new Error('two files are open');
    const body = Buffer.concat([from, u64(0), u64(to), target, u64(0), u64(5), u64(0)]);
    interrupt(kernel.request({ opcode: OPCODE.COPY_FILE_RANGE_64, node: file, body }));
    await clock.advance(100);
    fs.waits = false;
    await fs.goOn();
    await new Promise((resolve) => setImmediate(resolve));
    expect(kernel.notifications.map((message) => message.readBigUInt64LE(16))).toContain(BigInt(to));
  });

  it('keeps the data of a WRITE in its slot until the handler settles', async () => {
    const { kernel, fs } = started;
    fs.waits = false;
    const opening = kernel.request({ opcode: OPCODE.OPEN, node: file, body: u64(0) });
    await fs.goOn();
    fs.waits = true;
    const handle = kernel.reply(opening).body.subarray(0, 8);
    const write = (bytes: string, offset: number): bigint => {
      const fields = [handle, u64(offset), u32(bytes.length), u32(0), u64(0), u32(0), u32(0)];
      return kernel.request({
        opcode: OPCODE.WRITE,
        node: file,
        body: Buffer.concat([...fields, Buffer.from(bytes)]),
      });
    };
    const writes = Array.from({ length: 40 }, (_, i) => write(String.fromCharCode(97 + (i % 26)), i));
    // Three quarters of eight slots are kept, the rest of the data is copied, and requests still get through.
    expect(kernel.freeSlots.length).toBe(2);
    await fs.goOn();
    expect(kernel.freeSlots.length).toBe(8);
    expect(writes.every((unique) => kernel.reply(unique).body.readUInt32LE() === 1)).toBe(true);
    fs.waits = false;
    const body = Buffer.concat([handle, u64(0), u32(100), u32(0), u64(0), u64(0)]);
    const reading = kernel.request({ opcode: OPCODE.READ, node: file, body });
    await fs.goOn();
    const expected = Array.from({ length: 40 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('');
    expect(kernel.reply(reading).body.toString()).toBe(expected);
  });

  it('holds an entry back while its directory is looked up, and sends it once after the answer', async () => {
    const { kernel, fs } = started;
    kernel.request({ opcode: OPCODE.LOOKUP, body: text('file') });
    for (let i = 0; i < 100; i++) fs.caches?.invalidateEntry(ROOT_NODE, 'file');
    await new Promise((resolve) => setImmediate(resolve));
    expect(kernel.notifications).toHaveLength(0);
    await fs.goOn();
    await new Promise((resolve) => setImmediate(resolve));
    expect(kernel.notifications).toHaveLength(1);
  });

  it('interrupts what still waits when the kernel is gone, and gives nothing back to it', async () => {
    const { kernel, fs, session } = started;
    kernel.request({ opcode: OPCODE.LOOKUP, body: text('file') });
    kernel.unmount();
    await session.closed;
    expect(fs.signals[0]?.aborted).toBe(true);
    await fs.goOn();
    expect(fs.references().lookups).toBe(0);
  });
});
