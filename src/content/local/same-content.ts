import { createHash } from 'node:crypto';
import { md5Hex } from '../../lib/md5.ts';
import { type ReadRange, sameBytes } from '../write/upload/same-bytes.ts';

const MIB = 1024 * 1024;
const PIECE_BYTES = MIB;
/** The sizes in which clients send parts, beside those of this one. */
const USUAL_PARTS_MIB = [5, 8, 10, 15, 16, 25, 32, 48, 50, 64, 100, 128, 256, 512, 1024];

export interface Remote {
  /** Undefined: the store tells none. */
  readonly etag: string | undefined;
  readonly read: ReadRange;
}

/**
 * Whether two contents of this size are the same. The ETag of the store tells that they are, where it is an MD5, of the whole
 * or of its parts in a usual size. It never tells that they are not: it may be of parts of another size, or of something
 * else. The bytes tell then, up to the first that differ.
 */
export async function sameContent(sizeBytes: number, local: ReadRange, remote: Remote): Promise<boolean> {
  return (await isOfEtag(sizeBytes, local, remote.etag)) || sameBytes(sizeBytes, local, remote.read);
}

export async function isOfEtag(
  sizeBytes: number,
  content: ReadRange,
  etag: string | undefined,
): Promise<boolean> {
  const [, digest, count] = /^([0-9a-f]{32})(?:-(\d{1,5}))?$/i.exec(etag ?? '') ?? [];
  if (digest === undefined) return false;
  if (count === undefined) return (await md5Of(0, sizeBytes, content)) === digest.toLowerCase();
  for (const partBytes of USUAL_PARTS_MIB.map((each) => each * MIB)) {
    if (Math.ceil(sizeBytes / partBytes) !== Number(count)) continue;
    const whole = createHash('md5');
    for (let start = 0; start < sizeBytes; start += partBytes)
      whole.update(await md5Of(start, Math.min(start + partBytes, sizeBytes), content), 'hex');
    if (whole.digest('hex') === digest.toLowerCase()) return true;
  }
  return false;
}

async function md5Of(from: number, to: number, content: ReadRange): Promise<string> {
  if (to === from) return md5Hex(new Uint8Array());
  const hash = createHash('md5');
  for (let start = from; start < to; start += PIECE_BYTES) {
    const { chunks, release } = await content({ start, end: Math.min(start + PIECE_BYTES, to) });
    for (const chunk of chunks) hash.update(chunk);
    release?.();
  }
  return hash.digest('hex');
}
