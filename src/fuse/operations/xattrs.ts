import { FsError } from '../../vfs/errors/fs-error.ts';
import type { Awaitable } from '../../vfs/file-system.ts';
import type { Reply } from '../reply.ts';
import { operation } from './operation.ts';

/** setxattr(2). */
const XATTR_FLAG = { CREATE: 1, REPLACE: 2 } as const;

/** An attribute's value, or the names as NUL-ended strings, and how much of it the caller has room for. */
interface SizedAnswer {
  readonly bytes: Uint8Array;
  /** 0: the caller asks how long the answer is. */
  readonly roomBytes: number;
}

function encodeSized(reply: Reply, { bytes, roomBytes }: SizedAnswer): void {
  if (roomBytes === 0) {
    reply.u32(bytes.byteLength);
    reply.u32(0);
  } else if (bytes.byteLength <= roomBytes) {
    reply.append({ chunks: [bytes] });
  } else {
    throw new FsError('ERANGE', `${bytes.byteLength} bytes do not fit into ${roomBytes}`);
  }
}

function whenThere<T, U>(value: Awaitable<T>, map: (value: T) => U): Awaitable<U> {
  return value instanceof Promise ? value.then(map) : map(value);
}

export const getxattr = operation<SizedAnswer>({
  call(fs, body, request) {
    const roomBytes = body.u32();
    body.skip(4); // padding
    return whenThere(fs.getxattr(request.node, body.text(), request), (bytes) => ({ bytes, roomBytes }));
  },
  encode: encodeSized,
});

export const listxattr = operation<SizedAnswer>({
  call(fs, body, request) {
    const roomBytes = body.u32();
    return whenThere(fs.listxattr(request.node, request), (names) => ({
      bytes: Buffer.from(names.map((name) => `${name}\0`).join('')),
      roomBytes,
    }));
  },
  encode: encodeSized,
});

export const setxattr = operation<void>({
  call(fs, body, request) {
    const size = body.u32();
    const flags = body.u32();
    const name = body.text();
    const mode = {
      create: (flags & XATTR_FLAG.CREATE) !== 0,
      replace: (flags & XATTR_FLAG.REPLACE) !== 0,
    };
    return fs.setxattr(request.node, name, Uint8Array.from(body.bytes(size)), mode, request);
  },
  // Of a directory: it is locked as for a change of its names.
  locks: 'names',
});

export const removexattr = operation<void>({
  call: (fs, body, request) => fs.removexattr(request.node, body.text(), request),
  locks: 'names',
});
