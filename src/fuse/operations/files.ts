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

/** Who changes the bytes may not keep what lets a program run as another user (FUSE_HANDLE_KILLPRIV_V2). */
const OPEN_KILL_SUIDGID = 1 << 0;
const WRITE_KILL_SUIDGID = 1 << 2;

/** After the change: what is set on a file that is being written goes with its content. */
async function killing<T>(
  done: Awaitable<T>,
  { fs, handle, request }: { fs: FileSystem; handle: (answer: T) => FileHandle; request: Request },
): Promise<T> {
  const answer = await done;
  await fs.setattr(request.node, { killSuidgid: true }, handle(answer), request);
  return answer;
}

export const open = operation<OpenReply>({
  call(fs, body, request) {
    const flags = body.u32();
    const kills = (body.u32() & OPEN_KILL_SUIDGID) !== 0;
    const opened = fs.open(request.node, flags, request);
    return kills ? killing(opened, { fs, request, handle: (open) => open.handle }) : opened;
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
    return kills ? killing(written, { fs, request, handle: () => handle }) : written;
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
