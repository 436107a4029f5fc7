import type { KernelCaches, NodeId } from '../vfs/file-system.ts';
import {
  expireAllEntriesMessage,
  invalidateEntryMessage,
  invalidateNodeMessage,
} from './protocol/notifications.ts';

/** From this minor version on, one message expires every name, and takes no lock. */
const BULK_EXPIRY_MINOR = 44;
/** Names waiting above which that message takes their place. */
const BULK_EXPIRY_ABOVE = 256;

/** A hold on nodes: the kernel has them locked for a request that is under way. */
export type Hold = number;

/**
 * The invalidations of the file system, on their way to the kernel.
 *
 * Writing such a notification waits for locks that requests under way may hold. An entry needs its directory's lock,
 * which LOOKUP, READDIR and every change of it hold, its own move too. Contents need a page's lock, which READ and WRITE
 * hold. The transport's thread may wait, but the whole queue behind waits with it.
 *
 * So a notification stays here until the requests that were under way on its node when it came have been answered.
 * Meanwhile equal ones are one, and one batch is handed over at a time. Nothing here is ever waited for.
 */
export class Invalidations implements KernelCaches {
  readonly #send: (messages: readonly Uint8Array[]) => void;
  /** By directory: the names, and the last hold taken before each came. */
  readonly #names = new Map<NodeId, Map<string, Hold>>();
  #nameCount = 0;
  readonly #nodes = new Map<NodeId, { offset: number; after: Hold }>();
  /** Holds per node in the order taken. */
  readonly #holds = new Map<NodeId, Set<Hold>>();
  #lastHold: Hold = 0;
  #bulkExpiry = false;
  #sending = false;
  #scheduled = false;
  #closed = false;

  constructor(send: (messages: readonly Uint8Array[]) => void) {
    this.#send = send;
  }

  /** Tells the protocol's agreed minor version. */
  agree(minor: number): void {
    this.#bulkExpiry = minor >= BULK_EXPIRY_MINOR;
  }

  invalidateEntry(parent: NodeId, name: string): void {
    if (this.#closed) return;
    let names = this.#names.get(parent);
    if (names === undefined) {
      names = new Map();
      this.#names.set(parent, names);
    }
    if (!names.has(name)) this.#nameCount++;
    names.set(name, this.#lastHold);
    this.#schedule();
  }

  /** Sent after that reply, the notification would take the name from a directory that a program has just gone to: getcwd(2) fails. */
  lookedUp(parent: NodeId, name: string): void {
    const names = this.#names.get(parent);
    if (!names?.delete(name)) return;
    this.#nameCount--;
    if (names.size === 0) this.#names.delete(parent);
  }

  invalidateNode(node: NodeId, offset = 0): void {
    if (this.#closed) return;
    const queued = this.#nodes.get(node);
    this.#nodes.set(node, { offset: widest(queued?.offset, offset), after: this.#lastHold });
    this.#schedule();
  }

  /** Marks nodes as locked by a request under way. */
  hold(nodes: readonly NodeId[]): Hold {
    const hold = ++this.#lastHold;
    for (const node of nodes) {
      const holds = this.#holds.get(node);
      if (holds === undefined) this.#holds.set(node, new Set([hold]));
      else holds.add(hold);
    }
    return hold;
  }

  /** The request was answered. */
  release(nodes: readonly NodeId[], hold: Hold): void {
    for (const node of nodes) {
      const holds = this.#holds.get(node);
      holds?.delete(hold);
      if (holds?.size === 0) this.#holds.delete(node);
    }
    if (this.#nameCount > 0 || this.#nodes.size > 0) this.#schedule();
  }

  /** The batch handed over is written. */
  written(): void {
    this.#sending = false;
    this.#flush();
  }

  close(): void {
    this.#closed = true;
    this.#names.clear();
    this.#nodes.clear();
    this.#nameCount = 0;
  }

  /** Not at once: after the reply that is being made, and together with what else comes in this turn of the loop. */
  #schedule(): void {
    if (this.#scheduled || this.#sending) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#sending || this.#closed) return;
    const batch = [...this.#takeNames(), ...this.#takeNodes()];
    if (batch.length === 0) return;
    this.#sending = true;
    this.#send(batch);
  }

  #takeNames(): Uint8Array[] {
    if (this.#bulkExpiry && this.#nameCount > BULK_EXPIRY_ABOVE) {
      this.#names.clear();
      this.#nameCount = 0;
      return [expireAllEntriesMessage()];
    }
    const batch: Uint8Array[] = [];
    for (const [parent, names] of this.#names) {
      for (const [name, after] of names) {
        if (this.#isHeld(parent, after)) continue;
        names.delete(name);
        this.#nameCount--;
        batch.push(invalidateEntryMessage(parent, name));
      }
      if (names.size === 0) this.#names.delete(parent);
    }
    return batch;
  }

  #takeNodes(): Uint8Array[] {
    const batch: Uint8Array[] = [];
    for (const [node, { offset, after }] of this.#nodes) {
      // Attributes alone are under no lock.
      if (offset >= 0 && this.#isHeld(node, after)) continue;
      this.#nodes.delete(node);
      batch.push(invalidateNodeMessage(node, offset));
    }
    return batch;
  }

  /** Whether a request that was under way when the notification came still is. */
  #isHeld(node: NodeId, after: Hold): boolean {
    for (const oldest of this.#holds.get(node) ?? []) return oldest <= after;
    return false;
  }
}

/** The offset that covers both; a negative one covers no page. */
function widest(a: number | undefined, b: number): number {
  if (a === undefined || a < 0) return b;
  return b < 0 ? a : Math.min(a, b);
}
