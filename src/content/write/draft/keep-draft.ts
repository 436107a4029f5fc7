import type { KeepingReason, KeptBytes } from '../../ports.ts';
import type { DraftState } from '../journal/journal-entry.ts';
import type { AboutKept } from '../kept/about-kept.ts';
import { keptName } from '../kept/kept-name.ts';
import { ExtentMap } from '../spool/extent-map.ts';
import { onlyInUpload } from '../spool/refuse-released.ts';
import { keepSpool, leftOut, makeSpool } from './keep-spool.ts';
import type { WriterContext } from './writer-context.ts';

interface KeptDraft
  extends Pick<DraftState, 'id' | 'label' | 'target' | 'annotations' | 'extents' | 'upload'> {
  /** The disk refused some of its bytes. */
  readonly doubtful: boolean;
  /** There is a spool file. */
  readonly spooled: boolean;
}

const REFUSED_BY_DISK = 'the disk failed to take all of its bytes: look at them, some may be zeros';

/** Keeps what was written of a draft for a person. `upload`: it has bytes that are not here. */
export async function keepDraft(
  draft: KeptDraft,
  because: KeepingReason,
  { journal, spoolPath }: Pick<WriterContext, 'journal' | 'spoolPath'>,
): Promise<KeptBytes> {
  const { id, extents, upload, doubtful, spooled } = draft;
  const spool = spoolPath(id);
  // The record of the upload stays.
  if (upload !== undefined) return { path: spool, missing: onlyInUpload(upload.ticket.uploadId) };
  const reasons = [...leftOut(extents), ...(doubtful ? [REFUSED_BY_DISK] : [])];
  const missing = reasons.length > 0 ? reasons.join('; ') : undefined;
  if (!spooled) await makeSpool(spool, new ExtentMap(extents).sizeBytes);
  const path = await keepSpool(spool, keptName(draft), aboutDraft(draft, because, missing));
  journal.record({ type: 'end', id });
  return { path, missing };
}

/** The facts to keep about a draft whose bytes are put aside. */
export function aboutDraft(
  { id, label, target, annotations }: Pick<DraftState, 'id' | 'label' | 'target' | 'annotations'>,
  { reason, atMs, acknowledged }: KeepingReason,
  missing: string | undefined,
): AboutKept {
  return { id, label, keptMs: atMs, reason, acknowledged, missing, target, annotations };
}
