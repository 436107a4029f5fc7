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

/**
 * Requests taken at one wake-up. Who is answered often asks again at once: on one processor that spares half of a
 * request's system calls. Few enough for timers and sockets to get their turn.
 */
const MOST_IN_A_ROW = 16;
/** After a WRITE of more than this nothing is won: its program has much to do before it asks again. */
const LARGE_BYTES = 64 * 1024;

/** Of the channel's memory the reply is the first page (native/src/channel_memory.h). */
const SLOTS_OFFSET = PAGE_BYTES;

/** The transport of /dev/fuse over the addon's channel. */
export class NativeTransport implements Transport {
  readonly slots = SLOTS;
  readonly splices = true;
  readonly memory: ArrayBuffer;
  readonly replyPage: Uint8Array;
  readonly backings: BackingFiles;
  readonly #channel: NativeChannel;
  /** A stack, so that the pages used last are used next. */
  readonly #freeSlots: number[] = [];
  #receiver: Receiver | undefined;

  /** `device` is the descriptor of a mount on `mountPoint`; it is the transport's from here on. */
  constructor(addon: NativeAddon, mounted: { device: number; mountPoint: string; viaHelper: boolean }) {
    this.#channel = addon.openChannel({
      ...mounted,
      slots: SLOTS,
      slotBytes: SLOT_BYTES,
      onReadable: () => this.#takeRequests(),
      onNotified: () => this.#receiver?.notified(),
    });
    this.memory = this.#channel.memory;
    this.replyPage = new Uint8Array(this.memory, 0, PAGE_BYTES);
    this.backings = {
      open: (descriptor) => requireId(this.#channel.openBacking(descriptor)),
      close: (id) => this.#channel.closeBacking(id),
    };
    for (let slot = SLOTS; slot > 0; slot--) this.#freeSlots.push(slot - 1);
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#channel.start();
  }

  releaseSlot(slot: number): void {
    this.#freeSlots.push(slot);
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

  #takeRequests(): void {
    for (let taken = 0; taken < MOST_IN_A_ROW; taken++) {
      const slot = this.#freeSlots.at(-1);
      if (slot === undefined) return;
      const length = this.#channel.next(slot);
      if (length < 0) this.#receiver?.ended(-length);
      if (length <= 0) return;
      this.#freeSlots.pop();
      this.#receiver?.receive(slot, SLOTS_OFFSET + slot * SLOT_BYTES, length);
      if (length > LARGE_BYTES) return;
    }
  }
}

function requireId(answer: number): number {
  if (answer > 0) return answer;
  throw new Error(`FUSE_DEV_IOC_BACKING_OPEN: ${getSystemErrorName(answer)}`);
}
