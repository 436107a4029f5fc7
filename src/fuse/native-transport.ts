import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import type { ByteChunks, SocketBytes, TakenBytes } from '../lib/byte-chunks.ts';
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
 * Requests taken at one wake-up. A program often asks again at once after an answer: on one processor that spares half of
 * a request's system calls. The number is small enough for timers and sockets to get their turn.
 */
const MOST_IN_A_ROW = 16;
/** After a WRITE of more than this nothing is won: its program has much to do before it asks again. */
const LARGE_BYTES = 64 * 1024;

/** Of the channel's memory the reply is the first page (native/src/transport/channel_memory.h). */
const SLOTS_OFFSET = PAGE_BYTES;

const NOTHING_MORE: Required<TakenBytes> = { bytes: 0, reads: 0, spoiled: false };

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
  /** Requests that may still be taken before it is the turn of others. */
  #mayTake = 0;
  #answeredBeside = 0;
  /** The request that `goOn` returned, as `next` does, and that was not delivered yet. */
  #left: { readonly slot: number; readonly length: number } | undefined;
  /** The account of `goOn`: bytes, READs, whether the socket is spoiled. */
  readonly #told = new Uint32Array(3);
  readonly #toldBytes = new Uint8Array(this.#told.buffer);

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

  get answeredBeside(): number {
    return this.#answeredBeside;
  }

  send(length: number, { chunks, rest }: ByteChunks): number {
    this.#answeredBeside = 0;
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
    if (errno === ENODATA) return errno;
    const { bytes, reads, spoiled } = errno === 0 ? this.#goOn(rest) : NOTHING_MORE;
    this.#answeredBeside = reads;
    rest.taken({ bytes: rest.spare.length + bytes, reads: 1 + reads, spoiled });
    return errno;
  }

  /** READs that follow at once, and go on where the last one ended, are answered in the addon: the kernel asks for several in a row. */
  #goOn({ socket, after }: SocketBytes): Required<TakenBytes> {
    const slot = this.#mayTake > 0 && after.length > 0 ? this.#freeSlots.pop() : undefined;
    if (slot === undefined) return NOTHING_MORE;
    const length = this.#channel.goOn(slot, this.#mayTake, socket, after, this.#toldBytes);
    const [bytes = 0, reads = 0, spoiled = 0] = this.#told;
    this.#left = { slot, length };
    this.#mayTake -= reads;
    return { bytes, reads, spoiled: spoiled !== 0 };
  }

  #takeRequests(): void {
    this.#mayTake = MOST_IN_A_ROW;
    while (this.#mayTake > 0) {
      const slot = this.#freeSlots.at(-1);
      if (slot === undefined) break;
      const length = this.#channel.next(slot);
      if (length > 0) this.#freeSlots.pop();
      this.#deliver(slot, length);
      for (let left = this.#left; left !== undefined; left = this.#left) {
        this.#left = undefined;
        if (left.length <= 0) this.#freeSlots.push(left.slot);
        this.#deliver(left.slot, left.length);
      }
    }
    this.#mayTake = 0;
  }

  /** Handles the answer of the channel's `next`. */
  #deliver(slot: number, length: number): void {
    this.#mayTake = length <= 0 || length > LARGE_BYTES ? 0 : this.#mayTake - 1;
    if (length < 0) this.#receiver?.ended(-length);
    if (length > 0) this.#receiver?.receive(slot, SLOTS_OFFSET + slot * SLOT_BYTES, length);
  }
}

function requireId(answer: number): number {
  if (answer > 0) return answer;
  throw new Error(`FUSE_DEV_IOC_BACKING_OPEN: ${getSystemErrorName(answer)}`);
}
