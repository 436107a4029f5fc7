import type { Throttle } from '../../lib/throttle.ts';
import { StorageError } from '../errors.ts';
import type { RangeAnswer, StorageClient } from '../storage-client.ts';

/** A smaller range would be mostly its request. */
const LEAST_PIECE_BYTES = 32 * 1024;

/** A store whose ranges come no faster than that, in bytes, over all of them: each in pieces, as they may come. */
export function limitDownloads(storage: StorageClient, limit: Throttle): StorageClient {
  const pieceBytes = Math.max(LEAST_PIECE_BYTES, limit.moment);
  return {
    ...storage,
    getRange: async (url, range, signal) => {
      let first: RangeAnswer | undefined;
      for (let at = 0; ; at += pieceBytes) {
        const into = range.into.subarray(at, at + pieceBytes);
        await limit.take(into.length, signal);
        const piece = {
          ...range,
          into,
          offset: range.offset + at,
          expectedEtag: range.expectedEtag ?? first?.etag,
          onWaiting: undefined,
          // Each piece that came is progress.
          sinceMs: at === 0 ? range.sinceMs : undefined,
          onProgress: (bytes: number) => range.onProgress?.(at + bytes),
        };
        const answer = await storage.getRange(url, piece, signal);
        first ??= answer;
        if (answer.objectSizeBytes !== first.objectSizeBytes) {
          throw new StorageError('changed', 'the object changed its size while it was read');
        }
        if (at + into.length >= range.into.length) return first;
      }
    },
  };
}
