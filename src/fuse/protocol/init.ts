import type { BodyReader } from './body-reader.ts';
import type { StructWriter } from './struct-writer.ts';

/**
 * INIT: what kernel and file system can both do (linux/fuse.h, `struct fuse_init_in` and `fuse_init_out`).
 *
 * Not asked for, on purpose: WRITEBACK_CACHE (it would take sizes and times away from us), EXPORT_SUPPORT (a handle does
 * not survive a remount), AUTO_INVAL_DATA (a GETATTR on every read; we invalidate explicitly), ASYNC_DIO (a
 * stalled O_DIRECT read could not even be killed), READDIRPLUS_AUTO (src/decisions/0015), POSIX_LOCKS and FLOCK_LOCKS (the kernel's own serve one machine).
 */
const MAJOR = 7;
const MINOR = 45;
/** 7.31 is Linux 5.4; older kernels lack what every request here relies on. */
const OLDEST_MINOR = 31;

const FLAG = {
  ASYNC_READ: 1 << 0,
  ATOMIC_O_TRUNC: 1 << 3,
  BIG_WRITES: 1 << 5,
  DO_READDIRPLUS: 1 << 13,
  PARALLEL_DIROPS: 1 << 18,
  ABORT_ERROR: 1 << 21,
  MAX_PAGES: 1 << 22,
  HANDLE_KILLPRIV_V2: 1 << 28,
  INIT_EXT: 1 << 30,
} as const;

/** Flags of the second word, bits 32 and up. */
const FLAG2 = {
  /** Reads of an open file can be the kernel's own business (since Linux 6.9). */
  PASSTHROUGH: 1 << 5,
  /** No file handles at all, rather than ones that go stale. */
  NO_EXPORT_SUPPORT: 1 << 6,
} as const;

const WANTED = Object.values(FLAG).reduce((all, flag) => all | flag, 0);
const WANTED2 = FLAG2.NO_EXPORT_SUPPORT;

/** File systems below ours when files are passed through: 1 is a disk, and leaves overlayfs room on top of us. */
const STACK_DEPTH = 1;

/** The largest WRITE, in bytes, and in pages for the kernel. */
export const MAX_REQUEST_BYTES = 1024 * 1024;
/** The largest READ (mount option `max_read`): the fragments of a larger answer may not fit into a pipe (native/src/transport/splicer.h). */
export const MAX_READ_BYTES = 512 * 1024;
const MAX_PAGES = 256;
const MAX_BACKGROUND = 256;
const CONGESTION_THRESHOLD = 192;
/** Times are kept as they are set. */
const TIME_GRANULARITY_NS = 1;

export interface KernelOffer {
  readonly major: number;
  readonly minor: number;
  readonly maxReadahead: number;
  readonly flags: number;
  readonly flags2: number;
}

export interface Agreement {
  readonly minor: number;
  readonly maxReadahead: number;
  readonly flags: number;
  readonly flags2: number;
}

export function readKernelOffer(body: BodyReader): KernelOffer {
  const major = body.u32();
  const minor = body.u32();
  const maxReadahead = body.remaining >= 4 ? body.u32() : 0;
  const flags = body.remaining >= 4 ? body.u32() : 0;
  const flags2 = (flags & FLAG.INIT_EXT) !== 0 && body.remaining >= 4 ? body.u32() : 0;
  return { major, minor, maxReadahead, flags, flags2 };
}

/** The protocol that both sides speak from now on; undefined when the kernel is too old. */
export function negotiate(
  offer: KernelOffer,
  { passthrough = false }: { readonly passthrough?: boolean } = {},
): Agreement | undefined {
  if (offer.major !== MAJOR || offer.minor < OLDEST_MINOR) return undefined;
  return {
    minor: Math.min(MINOR, offer.minor),
    maxReadahead: offer.maxReadahead,
    flags: offer.flags & WANTED,
    flags2: offer.flags2 & (WANTED2 | (passthrough ? FLAG2.PASSTHROUGH : 0)),
  };
}

export function writeAgreement(reply: StructWriter, agreement: Agreement): void {
  reply.u32(MAJOR);
  reply.u32(agreement.minor);
  reply.u32(agreement.maxReadahead);
  reply.u32(agreement.flags);
  reply.u16(MAX_BACKGROUND);
  reply.u16(CONGESTION_THRESHOLD);
  reply.u32(MAX_REQUEST_BYTES);
  reply.u32(TIME_GRANULARITY_NS);
  reply.u16(MAX_PAGES);
  reply.u16(0); // map_alignment
  reply.u32(agreement.flags2);
  reply.u32((agreement.flags2 & FLAG2.PASSTHROUGH) === 0 ? 0 : STACK_DEPTH); // max_stack_depth
  reply.zeros(24);
}
