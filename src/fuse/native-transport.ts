import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import type { ByteChunks, SocketBytes } from '../lib/byte-chunks.ts';
import type { BackingFiles } from '../vfs/file-system.ts';
import type { NativeAddon, NativeChannel } from './native-addon.ts';
import { MAX_REQUEST_BYTES } from './protocol/init.ts';
import type { Receiver, Transport } from './transport.ts';

const { ENODATA } = constants.errno;
const PAGE_BYTES = 4096;
/** A WRITE of the largest size with its headers. */
const SLOT_BYTES = MAX_REQUEST_BYTES + PAGE_BYTES;
/** Address space, mostly: the pages of a slot are touched when a large WRITE first lands in it. */
const SLOTS = 32;

/** Where things lie in the channel's memory (native/src/channel_memory.h). */
const REPLY_OFFSET = PAGE_BYTES;
const SLOTS_OFFSET = 2 * PAGE_BYTES;

/** The transport of /dev/fuse over the addon's channel. */
export class NativeTransport implements Transport {
  readonly slots = SLOTS;
  readonly splices = true;
  readonly memory: ArrayBuffer;
  readonly replyPage: Uint8Array;
  readonly backings: BackingFiles;
  readonly #channel: NativeChannel;
  readonly #batch: Uint32Array;
  #receiver: Receiver | undefined;

  /** `device` is the descriptor of a mount on `mountPoint`; it is the transport's from here on. */
  constructor(addon: NativeAddon, mounted: { device: number; mountPoint: string; viaHelper: boolean }) {
    this.#channel = new addon.Channel({
      ...mounted,
      slots: SLOTS,
      slotBytes: SLOT_BYTES,
      onRequests: (count) => this.#deliver(count),
      onEnd: (errno) => this.#receiver?.ended(errno),
      onNotified: () => this.#receiver?.notified(),
    });
    this.memory = this.#channel.memory;
    this.#batch = new Uint32Array(this.memory, 0, PAGE_BYTES / 4);
    this.replyPage = new Uint8Array(this.memory, REPLY_OFFSET, PAGE_BYTES);
    this.backings = {
      open: (descriptor) => requireId(this.#channel.openBacking(descriptor)),
      close: (id) => this.#channel.closeBacking(id),
    };
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#channel.start();
  }

  releaseSlot(slot: number): void {
    this.#channel.release(slot);
  }

  send(length: number, { chunks, rest }: ByteChunks): number {
    if (rest !== undefined) return this.#splice(length, chunks, rest);
    return chunks.length === 0 ? this.#channel.send(length) : this.#channel.sendWith(length, chunks);
  }

  notify(messages: readonly Uint8Array[]): void {
    this.#channel.notify(messages);
  }

  /** Takes the mount away: 0 or an errno. Synchronous. */
  detach(): number {
    return this.#channel.detach();
  }

  close(): void {
    this.#channel.close();
  }

  #splice(length: number, chunks: readonly Uint8Array[], rest: SocketBytes): number {
    const errno = this.#channel.sendSpliced(length, chunks, rest.socket, rest.spare);
    if (errno !== ENODATA) rest.taken();
    return errno;
  }

  #deliver(count: number): void {
    for (let i = 0; i < count; i++) {
      const slot = this.#batch[2 * i] ?? 0;
      const length = this.#batch[2 * i + 1] ?? 0;
      this.#receiver?.receive(slot, SLOTS_OFFSET + slot * SLOT_BYTES, length);
    }
  }
}

function requireId(answer: number): number {
  if (answer > 0) return answer;
  throw new Error(`FUSE_DEV_IOC_BACKING_OPEN: ${getSystemErrorName(answer)}`);
}
