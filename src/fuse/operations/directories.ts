import type { Awaitable, FileHandle, FileSystem, OpenDirectoryReply } from '../../vfs/file-system.ts';
import type { BodyReader } from '../protocol/body-reader.ts';
import { DirectoryBuffer, DirectoryPlusBuffer } from '../protocol/directory-buffer.ts';
import type { Request } from '../request.ts';
import { type Operation, operation } from './operation.ts';

const FSYNC_DATA_ONLY = 1 << 0;
const FOPEN = { KEEP_CACHE: 1 << 1, CACHE_DIR: 1 << 3 } as const;

export const opendir = operation<OpenDirectoryReply>({
  call: (fs, _body, request) => fs.opendir(request.node, request),
  // The kernel keeps what it reads, and drops it at the next open that does not say that it is still good.
  encode(reply, answer) {
    reply.u64(answer.handle);
    reply.u32(FOPEN.CACHE_DIR | (answer.keepNames ? FOPEN.KEEP_CACHE : 0));
    reply.u32(0);
  },
  undo: (fs, answer) => fs.releasedir(answer.handle),
});

function forgetCounted(fs: FileSystem, buffer: DirectoryBuffer): void {
  for (const node of buffer.counted) fs.forget(node, 1);
}

const listing: Omit<Operation<DirectoryBuffer>, 'call'> = {
  encode: (reply, buffer) => reply.append({ chunks: [buffer.filled] }),
  undo: forgetCounted,
  locks: 'names',
  readsHandle: true,
};

export const readdir = operation<DirectoryBuffer>({
  ...listing,
  call: (fs, body, request) => list(fs, body, request, (size) => new DirectoryBuffer(size)),
});

export const readdirplus = operation<DirectoryBuffer>({
  ...listing,
  call: (fs, body, request) => list(fs, body, request, (size) => new DirectoryPlusBuffer(size)),
});

function list(
  fs: FileSystem,
  body: BodyReader,
  request: Request,
  buffer: (sizeBytes: number) => DirectoryBuffer,
): Awaitable<DirectoryBuffer> {
  const handle = body.id() as FileHandle;
  const offset = body.offset();
  const sink = buffer(body.u32());
  const forgetPlaced = (error: unknown): never => {
    forgetCounted(fs, sink);
    throw error;
  };
  try {
    const listed = fs.readdir(handle, offset, sink, request);
    return listed instanceof Promise ? listed.then(() => sink, forgetPlaced) : sink;
  } catch (error) {
    return forgetPlaced(error);
  }
}

export const releasedir = operation<void>({
  call: (fs, body) => fs.releasedir(body.id() as FileHandle),
});

export const fsyncdir = operation<void>({
  call(fs, body, request) {
    const handle = body.id() as FileHandle;
    return fs.fsyncdir(handle, (body.u32() & FSYNC_DATA_ONLY) !== 0, request);
  },
});
