import type { WaitingUploads } from '../../content/write/recovery/waiting-uploads.ts';
import { describeSize } from '../../lib/describe-size.ts';
import type { AccountRecord } from '../record.ts';

interface WaitingPlace {
  readonly root: string;
  /** Undefined: an older version wrote there. */
  readonly written: AccountRecord | undefined;
}

/** What waits, or why that cannot be told. */
type Waiting = WaitingUploads | { readonly reason: string };

/** One line for a person, with what to do about it. */
export function describeWaiting(waiting: Waiting, { root, written }: WaitingPlace): string {
  const origin = written === undefined ? `of ${root}` : `written through ${written.mountPoint}`;
  const remedy =
    written === undefined
      ? 'mount again where they were written'
      : `mount ${written.endpoint} (user ${written.username}) on ${written.mountPoint} again`;
  return `${describeFiles(waiting, origin)}; to upload them ${remedy}`;
}

function describeFiles(waiting: Waiting, origin: string): string {
  if ('reason' in waiting) return `perhaps not uploaded yet: files ${origin} (${waiting.reason})`;
  const { files, sizeBytes } = waiting;
  const count = files === 1 ? '1 file' : `${files} files`;
  return `not uploaded yet: ${count} (${describeSize(sizeBytes)}) ${origin}`;
}
