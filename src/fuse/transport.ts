import type { ByteChunks } from '../lib/byte-chunks.ts';
import type { BackingFiles } from '../vfs/file-system.ts';

/**
 * The way of messages between the kernel and a session: raw FUSE protocol in, replies and notifications out. The
 * session knows their meaning; the transport knows how they travel, and how the mount comes and goes.
 */
export interface Transport {
  /** Where requests lie: each in one slot, whole, from the offset that `Receiver.receive` tells. */
  readonly memory: ArrayBuffer;
  readonly slots: number;
  /** Where a reply's header and fixed part are written before `send`. */
  readonly replyPage: Uint8Array;
  /** It can send bytes that are still in a socket. */
  readonly splices?: boolean;
  /** Undefined: the kernel cannot be given files to read itself. */
  readonly backings?: BackingFiles;

  /** Begins to deliver requests, in the order the kernel sent them. */
  start(receiver: Receiver): void;
  /** Gives a slot back. Requests are read while slots are free. */
  releaseSlot(slot: number): void;
  /**
   * Writes one message: `length` bytes of the reply page, then the others. It holds on to none of them when it returns.
   * Answers 0 or an errno: ENOENT when the kernel no longer waits for this reply.
   */
  send(length: number, bytes: ByteChunks): number;
  /** READs that the last `send` answered beside its own, since they went on where that one ended. */
  readonly answeredBeside?: number;
  /** Writes notifications where waiting harms nobody; `Receiver.notified` follows, and the next batch only after it. */
  notify(messages: readonly Uint8Array[]): void;
  /** Reads no more and lets go of the device. */
  close(): void;
}

export interface Receiver {
  /** Must not throw. The slot is the receiver's until `releaseSlot`. */
  receive(slot: number, offset: number, length: number): void;
  notified(): void;
  /** The kernel's end is gone: unmounted or aborted. */
  ended(errno: number): void;
}
