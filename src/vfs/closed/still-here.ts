/**
 * The lines that tell a person about files that the platform refused, or that are kept aside: the reason, where the bytes
 * are, and the remedy.
 */
import type { AsideFile } from '../../content/ports.ts';
import { FsError } from '../errors/fs-error.ts';
import type { FileContent } from '../model/file-content.ts';

const REMEDY = 'see svcfs recover list; svcfs recover save, retry or drop deals with it';

/** Undefined: it was not refused. */
export function stillHere({ refused, node }: FileContent): FsError | undefined {
  if (!refused) return undefined;
  const { draft } = node;
  const place = draft?.spoolPath === undefined ? 'it has no bytes' : `its bytes are at ${draft.spoolPath}`;
  return new FsError(refused.errno, `${refused.message}; ${place}; ${REMEDY}`, { cause: refused.cause });
}

export function keptElsewhere({ label, reason, path, owed }: AsideFile): FsError {
  const what = reason.startsWith(label) ? reason : `${label}: ${reason}`;
  const place = owed === undefined ? 'its bytes are at' : 'a table of it is at';
  return new FsError('EIO', `${what}; ${place} ${path}; ${REMEDY}`);
}
