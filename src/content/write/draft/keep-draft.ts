import type { KeptBytes } from '../../ports.ts';
import type { DraftState } from '../journal/journal-entry.ts';
import { onlyInUpload } from '../spool/refuse-released.ts';
import { keepSpool, keptName, leftOut } from './keep-spool.ts';
import type { WriterContext } from './writer-context.ts';

interface KeptDraft extends Pick<DraftState, 'id' | 'label' | 'extents' | 'upload'> {
  /** The disk refused some of its bytes. */
  readonly doubtful: boolean;
}

const REFUSED_BY_DISK = 'the disk failed to take all of its bytes: look at them, some may be zeros';

/** Keeps what was written of a draft for a person. `upload`: it has bytes that are not here. */
export async function keepDraft(
  { id, label, extents, upload, doubtful }: KeptDraft,
  { journal, spoolPath }: Pick<WriterContext, 'journal' | 'spoolPath'>,
): Promise<KeptBytes> {
  // What tells of the upload stays.
  if (upload !== undefined) return { path: spoolPath(id), missing: onlyInUpload(upload.ticket.uploadId) };
  const path = await keepSpool(spoolPath(id), keptName({ id, label }));
  journal.record({ type: 'end', id });
  const missing = [...leftOut(extents), ...(doubtful ? [REFUSED_BY_DISK] : [])];
  return { path, missing: missing.length > 0 ? missing.join('; ') : undefined };
}
