import { FsError } from '../../vfs/errors/fs-error.ts';
import type { Awaitable, FileHandle, FileSystem, NodeId } from '../../vfs/file-system.ts';
import type { BodyReader } from '../protocol/body-reader.ts';
import type { Request } from '../request.ts';
import { operation } from './operation.ts';

/** lseek(2); the kernel answers SEEK_SET, SEEK_CUR and SEEK_END itself. */
const WHENCE = new Map<number, 'data' | 'hole'>([
  [3, 'data'],
  [4, 'hole'],
]);

/** The largest whole-page count that the 32-bit answer of opcode 47 holds; more is asked for again. */
const COPY_LIMIT_BYTES = 0xffff_f000;

export const lseek = operation<number>({
  call(fs, body, request) {
    const handle = body.id() as FileHandle;
    // A number that is not exact lies beyond the end of every file, and a negative one does too (lseek(2)).
    const offset = body.bound();
    const whence = WHENCE.get(body.u32());
    if (whence === undefined) throw new FsError('EINVAL', 'unknown whence');
    return fs.lseek(handle, offset, whence, request);
  },
  encode: (reply, offset) => reply.u64(offset),
  readsHandle: true,
});

export const fallocate = operation<void>({
  call(fs, body, request) {
    const handle = body.id() as FileHandle;
    const offset = body.offset();
    const length = body.offset();
    return fs.fallocate(handle, body.u32(), offset, length, request);
  },
  locks: 'pages',
});

export const copyFileRange = operation<number>({
  call: (fs, body, request) => callCopy(fs, body, request, COPY_LIMIT_BYTES),
  encode(reply, copied) {
    reply.u32(copied);
    reply.u32(0);
  },
  locks: 'pages',
});

export const copyFileRange64 = operation<number>({
  call: (fs, body, request) => callCopy(fs, body, request, Number.MAX_SAFE_INTEGER),
  encode: (reply, copied) => reply.u64(copied),
  locks: 'pages',
});

function callCopy(fs: FileSystem, body: BodyReader, request: Request, limitBytes: number): Awaitable<number> {
  const from = { handle: body.id() as FileHandle, offset: body.offset() };
  request.otherNodes = [body.id() as NodeId];
  const to = { handle: body.id() as FileHandle, offset: body.offset() };
  const length = Math.min(body.bound(), limitBytes);
  if (body.id() !== 0) throw new FsError('EINVAL', 'unknown flags of copy_file_range');
  return fs.copyFileRange(from, to, length, request);
}
