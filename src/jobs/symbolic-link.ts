/**
 * The platform has no symbolic links. A link is a small file there: its content is the target, and a pair marks it. The pair
 * holds the target itself where it fits, so that a listing tells it, and else a word that says where the target is.
 */
import { METADATA_VALUE_BYTES_MAX } from '../contract/limits.ts';

/** The pair that marks a link. */
export const LINK_PAIR = 'svcfs.symlink';
/** In place of a target that is too long for a pair. A link to `content` has that as its content too. */
export const TARGET_IS_CONTENT = 'content';
/** PATH_MAX of Linux, without the NUL. */
export const LINK_TARGET_BYTES_MAX = 4095;

interface File {
  readonly metadata: Readonly<Record<string, string>>;
  readonly sizeBytes: number;
}

/** The value of the pair of a link to `target`. */
export function linkPairFor(target: string): string {
  return Buffer.byteLength(target) <= METADATA_VALUE_BYTES_MAX ? target : TARGET_IS_CONTENT;
}

/** The pair of a file that is a link; undefined for another file, also for one whose pair or content can be no target. */
export function linkPairOf({ metadata, sizeBytes }: File): string | undefined {
  const pair = metadata[LINK_PAIR];
  if (pair === undefined || pair === '' || pair.includes('\0')) return undefined;
  if (pair !== TARGET_IS_CONTENT) return pair;
  return sizeBytes > 0 && sizeBytes <= LINK_TARGET_BYTES_MAX ? pair : undefined;
}
