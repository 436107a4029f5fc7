import { joinTime } from '../../lib/nanoseconds.ts';
import type {
  AttributeChanges,
  AttributesReply,
  FileHandle,
  FileSystemStatistics,
} from '../../vfs/file-system.ts';
import type { BodyReader } from '../protocol/body-reader.ts';
import { operation } from './operation.ts';

const GETATTR_FH = 1 << 0;

/** Bits of `fuse_setattr_in.valid`: which fields count. */
const VALID = {
  MODE: 1 << 0,
  UID: 1 << 1,
  GID: 1 << 2,
  SIZE: 1 << 3,
  ATIME: 1 << 4,
  MTIME: 1 << 5,
  FH: 1 << 6,
  ATIME_NOW: 1 << 7,
  MTIME_NOW: 1 << 8,
  KILL_SUIDGID: 1 << 11,
} as const;

export const getattr = operation<AttributesReply>({
  call(fs, body, request) {
    const flags = body.u32();
    body.skip(4); // dummy
    const handle = (flags & GETATTR_FH) === 0 ? undefined : (body.id() as FileHandle);
    return fs.getattr(request.node, handle, request);
  },
  encode: (reply, answer) => reply.attributesReply(answer.attributes, answer.ttlMs),
});

export const setattr = operation<AttributesReply>({
  call(fs, body, request) {
    const { changes, handle } = readChanges(body);
    return fs.setattr(request.node, changes, handle, request);
  },
  encode: (reply, answer) => reply.attributesReply(answer.attributes, answer.ttlMs),
  locks: 'pages',
});

function readChanges(body: BodyReader): { changes: AttributeChanges; handle: FileHandle | undefined } {
  const valid = body.u32();
  body.skip(4); // padding
  const handle = body.id() as FileHandle;
  const given = (bit: number): boolean => (valid & bit) !== 0;
  const sizeBytes = given(VALID.SIZE) ? body.offset() : body.bound();
  body.skip(8); // lock_owner
  const atime = body.seconds();
  const mtime = body.seconds();
  body.skip(8); // ctime: always our own
  const atimeNs = joinTime(atime, body.u32());
  const mtimeNs = joinTime(mtime, body.u32());
  body.skip(4); // ctimensec
  const mode = body.u32();
  body.skip(4); // unused
  const uid = body.u32();
  const gid = body.u32();
  const changes: AttributeChanges = {
    ...(given(VALID.SIZE) && { sizeBytes }),
    ...(given(VALID.MODE) && { mode }),
    ...(given(VALID.UID) && { uid }),
    ...(given(VALID.GID) && { gid }),
    ...(given(VALID.ATIME) && { atimeNs: given(VALID.ATIME_NOW) ? 'now' : atimeNs }),
    ...(given(VALID.MTIME) && { mtimeNs: given(VALID.MTIME_NOW) ? 'now' : mtimeNs }),
    ...(given(VALID.KILL_SUIDGID) && { killSuidgid: true }),
  };
  return { changes, handle: given(VALID.FH) ? handle : undefined };
}

export const access = operation<void>({
  call: (fs, body, request) => fs.access(request.node, body.u32(), request),
});

export const statfs = operation<FileSystemStatistics>({
  call: (fs, _body, request) => fs.statfs(request.node, request),
  encode(reply, statistics) {
    reply.u64(statistics.blocks);
    reply.u64(statistics.blocksFree);
    reply.u64(statistics.blocksFree); // available to everyone
    reply.u64(statistics.files);
    reply.u64(statistics.filesFree);
    reply.u32(statistics.blockSize);
    reply.u32(statistics.nameLength);
    reply.u32(statistics.blockSize); // frsize
    reply.zeros(28);
  },
});
