import type { Receiver, Transport } from '../../../src/fuse/transport.ts';
import type { ByteChunks } from '../../../src/lib/byte-chunks.ts';
import { u32, u64 } from './wire.ts';

const SLOT_BYTES = 8192;
const HEADER_BYTES = 16;

export interface WireReply {
  /** Negative, as on the wire; 0 for success. */
  readonly error: number;
  readonly body: Buffer;
}

export interface WireRequest {
  readonly opcode: number;
  readonly node?: number;
  readonly body?: Uint8Array;
  readonly pid?: number;
}

/** The kernel's side of a transport: a test sends requests, and sees replies and notifications. */
export class ScriptedKernel implements Transport {
  readonly slots = 8;
  readonly memory = new ArrayBuffer(this.slots * SLOT_BYTES);
  readonly replyPage = new Uint8Array(4096);
  readonly replies = new Map<bigint, WireReply>();
  readonly notifications: Buffer[] = [];
  /** Errnos the next replies are refused with. */
  readonly refusals: number[] = [];
  readonly freeSlots: number[] = Array.from({ length: this.slots }, (_, slot) => slot);
  /** READs that it takes for answered by each `send`, beside the one that it answers. */
  answeredBeside = 0;
  closed = false;
  #receiver: Receiver | undefined;
  #lastUnique = 0n;

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  releaseSlot(slot: number): void {
    new Uint8Array(this.memory, slot * SLOT_BYTES, SLOT_BYTES).fill(0xee);
    this.freeSlots.push(slot);
  }

  send(length: number, { chunks }: ByteChunks): number {
    const refusal = this.refusals.shift() ?? 0;
    if (refusal !== 0) return refusal;
    const message = Buffer.concat([this.replyPage.subarray(0, length), ...chunks]);
    if (message.readUInt32LE(0) !== message.length) throw new Error('fuse_out_header.len is wrong');
    const unique = message.readBigUInt64LE(8);
    if (this.replies.has(unique)) throw new Error(`request ${unique} was answered twice`);
    this.replies.set(unique, { error: message.readInt32LE(4), body: message.subarray(HEADER_BYTES) });
    return 0;
  }

  notify(messages: readonly Uint8Array[]): void {
    this.notifications.push(...messages.map((message) => Buffer.from(message)));
    setImmediate(() => this.#receiver?.notified());
  }

  close(): void {
    this.closed = true;
  }

  /** Sends one request; answers its unique id. */
  request({ opcode, node = 1, body = Buffer.alloc(0), pid = 0 }: WireRequest): bigint {
    this.#lastUnique += 2n;
    const slot = this.freeSlots.pop();
    if (slot === undefined) throw new Error('all slots are taken: the session has stopped reading');
    const header = [u32(40 + body.length), u32(opcode), u64(this.#lastUnique), u64(node)];
    const message = Buffer.concat([...header, u32(1000), u32(1001), u32(pid), u32(0), body]);
    new Uint8Array(this.memory).set(message, slot * SLOT_BYTES);
    this.#receiver?.receive(slot, slot * SLOT_BYTES, message.length);
    return this.#lastUnique;
  }

  /** The reply to a request that was answered at once. */
  ask(request: WireRequest): WireReply {
    return this.reply(this.request(request));
  }

  reply(unique: bigint): WireReply {
    const reply = this.replies.get(unique);
    if (reply === undefined) throw new Error(`request ${unique} is not answered yet`);
    return reply;
  }

  unmount(): void {
    this.#receiver?.ended(19);
  }
}
