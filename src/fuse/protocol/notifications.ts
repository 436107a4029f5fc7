import type { NodeId } from '../../vfs/file-system.ts';
import { type RequestId, SIZE, StructWriter } from './struct-writer.ts';

/** Messages to the kernel that answer no request: `unique` is 0 and `error` holds the code (`enum fuse_notify_code`). */
const NO_REQUEST: RequestId = { uniqueLow: 0, uniqueHigh: 0 };
const CODE = { INVAL_INODE: 2, INVAL_ENTRY: 3, INC_EPOCH: 8 } as const;

function message(code: number, bodyBytes: number): { bytes: Uint8Array; body: StructWriter } {
  const bytes = new Uint8Array(SIZE.OUT_HEADER + bodyBytes);
  const body = new StructWriter(bytes);
  body.outHeader(bytes.length, code, NO_REQUEST);
  return { bytes, body };
}

/** Forget attributes, and the pages from `offset` to the end; a negative offset keeps the pages. */
export function invalidateNodeMessage(node: NodeId, offset: number): Uint8Array {
  const { bytes, body } = message(CODE.INVAL_INODE, 24);
  body.u64(node);
  body.u64(offset);
  body.u64(0);
  return bytes;
}

export function invalidateEntryMessage(parent: NodeId, name: string): Uint8Array {
  const nameBytes = Buffer.byteLength(name);
  const { bytes, body } = message(CODE.INVAL_ENTRY, 16 + nameBytes + 1);
  body.u64(parent);
  body.u32(nameBytes);
  body.u32(0);
  body.text(name);
  return bytes;
}

/** Protocol 7.44: every name is looked up again when next used. Takes no lock. */
export function expireAllEntriesMessage(): Uint8Array {
  return message(CODE.INC_EPOCH, 0).bytes;
}
