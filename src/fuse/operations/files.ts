import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import type {
  Awaitable,
  Entry,
  FileHandle,
  FileSystem,
  OpenReply,
  ReadReply,
} from '../../vfs/file-system.ts';
import type { Reply } from '../reply.ts';
import type { Request } from '../request.ts';
import { operation } from './operation.ts';

const FSYNC_DATA_ONLY = 1 << 0;
const FOPEN = { DIRECT_IO: 1 << 0, KEEP_CACHE: 1 << 1, PASSTHROUGH: 1 << 7 } as const;

function encodeOpen(reply: Reply, open: OpenReply): void {
  reply.u64(open.handle);
  reply.u32(flagsOf(open));
  reply.u32(open.backing ?? 0);
}

/** The kernel takes no other flag beside PASSTHROUGH: pages are those of the other file. */
function flagsOf({ backing, directIo, keepCache }: OpenReply): number {
  if (backing !== undefined) return FOPEN.PASSTHROUGH;
  return (directIo ? FOPEN.DIRECT_IO : 0) | (keepCache ? FOPEN.KEEP_CACHE : 0);
}

/** A change of the bytes takes away the bits that let a program run as another user (FUSE_HANDLE_KILLPRIV_V2). */
const OPEN_KILL_SUIDGID = 1 << 0;
const WRITE_KILL_SUIDGID = 1 << 2;

/**
 * After the change: what is set on a file that is being written goes with its content. No interrupt stops it, for a program that
 * is told EINTR writes once more what it appended.
 */
async function kill(fs: FileSystem, { node, uid, gid, pid }: Request, handle: FileHandle): Promise<void> {
  await fs.setattr(node, { killSuidgid: true }, handle, { uid, gid, pid, signal: NEVER_ABORTED });
}

async function openKilling(
  opened: Awaitable<OpenReply>,
  fs: FileSystem,
  request: Request,
): Promise<OpenReply> {
  const reply = await opened;
  try {
    await kill(fs, request, reply.handle);
  } catch (error) {
    // The kernel knows no handle of an open that failed, and releases none.
    await fs.release(reply.handle);
    throw error;
  }
  return reply;
}

export const open = operation<OpenReply>({
  call(fs, body, request) {
    const flags = body.u32();
    const kills = (body.u32() & OPEN_KILL_SUIDGID) !== 0;
    const opened = fs.open(request.node, flags, request);
    return kills ? openKilling(opened, fs, request) : opened;
  },
  encode: encodeOpen,
  undo: (fs, answer) => fs.release(answer.handle),
  opened: (answer) => answer,
});

export const create = operation<{ readonly entry: Entry; readonly open: OpenReply }>({
  call(fs, body, request) {
    const flags = body.u32();
    const mode = body.u32();
    body.skip(8); // umask: applied by the kernel; open_flags
    return fs.create(request.node, request.changing(request.node, body.text()), mode, flags, request);
  },
  encode(reply, answer) {
    reply.entry(answer.entry);
    encodeOpen(reply, answer.open);
  },
  undo(fs, answer) {
    fs.forget(answer.entry.node, 1);
    return fs.release(answer.open.handle);
  },
  opened: (answer) => answer.open,
  locks: 'names',
});

export const read = operation<ReadReply>({
  call(fs, body, request) {
    const handle = body.id() as FileHandle;
    const offset = body.offset();
    return fs.read(handle, offset, body.u32(), request);
  },
  encode: (reply, answer) => reply.append(answer),
  finish: (answer) => answer.release?.(),
  locks: 'pages',
  readsHandle: true,
});

export const write = operation<number>({
  call(fs, body, request) {
    const handle = body.id() as FileHandle;
    const offset = body.offset();
    const size = body.u32();
    const kills = (body.u32() & WRITE_KILL_SUIDGID) !== 0;
    body.skip(16); // lock_owner, flags, padding
    const written = fs.write(handle, offset, body.bytes(size), request);
    if (!kills) return written;
    return Promise.resolve(written).then(async (bytes) => {
      await kill(fs, request, handle);
      return bytes;
    });
  },
  encode(reply, written) {
    reply.u32(written);
    reply.u32(0);
  },
  keepsSlot: true,
  locks: 'pages',
});

export const flush = operation<void>({
  call: (fs, body, request) => fs.flush(body.id() as FileHandle, request),
});

export const fsync = operation<void>({
  call(fs, body, request) {
    const handle = body.id() as FileHandle;
    return fs.fsync(handle, (body.u32() & FSYNC_DATA_ONLY) !== 0, request);
  },
  locks: 'pages',
});

export const release = operation<void>({
  call: (fs, body) => fs.release(body.id() as FileHandle),
});
