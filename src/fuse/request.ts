import type { NodeId, RequestContext } from '../vfs/file-system.ts';
import type { BodyReader } from './protocol/body-reader.ts';
import type { RequestId } from './protocol/struct-writer.ts';

/** A name that a request changes, should it succeed. */
export interface NameChange {
  readonly parent: NodeId;
  readonly name: string;
}

const NONE: readonly NodeId[] = [];

/**
 * One request of the kernel, from `fuse_in_header` until its reply is written. The part the file system sees is
 * `RequestContext`; its signal is made when first asked for, since few requests are ever waited for.
 */
export class Request implements RequestContext, RequestId {
  readonly opcode: number;
  readonly uniqueLow: number;
  readonly uniqueHigh: number;
  /** The node asked about, or the directory a name is in. */
  readonly node: NodeId;
  readonly uid: number;
  readonly gid: number;
  readonly pid: number;
  readonly splices: boolean;
  /** When it was read, on the observer's clock; 0 without one. */
  readonly startedMs: number;
  /** The kernel has its reply: whatever the file system still answers comes too late. */
  answered = false;
  /** More nodes that take part: the other directory of a rename and directories that are moved, the target of a copy. */
  otherNodes: readonly NodeId[] = NONE;
  /** Made with the first: few requests change names. */
  #changes: NameChange[] | undefined;
  #controller: AbortController | undefined;
  #interrupted = false;

  constructor(header: BodyReader, startedMs: number, splices = false) {
    header.skip(4); // len: the read told it
    this.opcode = header.u32();
    this.uniqueLow = header.u32();
    this.uniqueHigh = header.u32();
    this.node = header.id() as NodeId;
    this.uid = header.u32();
    this.gid = header.u32();
    this.pid = header.u32();
    header.skip(4); // total_extlen: we agree to no extension
    this.startedMs = startedMs;
    this.splices = splices;
  }

  /** The number by which INTERRUPT names this request. Made when asked for: few requests are ever waited for. */
  get unique(): bigint {
    return (BigInt(this.uniqueHigh) << 32n) | BigInt(this.uniqueLow);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#interrupted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Tells those that wait on the signal. */
  interrupt(): void {
    this.#interrupted = true;
    this.#controller?.abort();
  }

  /** Notes that success changes what `name` in `parent` is. */
  changing(parent: NodeId, name: string): string {
    this.#changes ??= [];
    this.#changes.push({ parent, name });
    return name;
  }

  get changes(): readonly NameChange[] {
    return this.#changes ?? [];
  }
}
