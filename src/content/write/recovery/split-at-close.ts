import { truncate } from 'node:fs/promises';
import type { Recovery } from '../../ports.ts';
import { setIn } from '../draft/draft-annotations.ts';
import { aboutDraft } from '../draft/keep-draft.ts';
import { keepCopy, leftOut } from '../draft/keep-spool.ts';
import type { WriterContext } from '../draft/writer-context.ts';
import type { DraftState } from '../journal/journal-entry.ts';
import { hasSurvived, MAY_BE_ZEROS } from '../journal/spool-survival.ts';
import { keptName } from '../kept/kept-name.ts';
import { ExtentMap, hasReleased } from '../spool/extent-map.ts';
import { onlyInUpload } from '../spool/refuse-released.ts';
import { sizeOf } from './owed-draft.ts';

export interface SplitDraft {
  /** To be published. */
  readonly closed: DraftState;
  readonly recoveries: readonly Recovery[];
}

const WRITTEN_ON = 'it was still being written when the mount ended, and is uploaded as it was closed before';

/**
 * A draft that was written on after a close: as that acknowledged it, to be published, and a copy of all of it for a
 * person. Its upload is given up, for the store may have parts of what came after, which no journal tells of; or left
 * open, when the spool let go of such parts. Undefined: it is not such a draft, or nobody can part it, since some of the
 * bytes that were closed are not here.
 */
export async function splitAtClose(
  state: DraftState,
  { aborts, journal, spoolPath, bootId, clock }: WriterContext,
): Promise<SplitDraft | undefined> {
  const { id, label, phase, extents, closed: first } = state;
  const survived = hasSurvived(state, bootId);
  if (first === undefined || (phase === 'publishing' && survived)) return undefined;
  const { sizeBytes, bytes } = first;
  const spool = spoolPath(id);
  const map = new ExtentMap(extents);
  if (hasReleased(map.slice(0, sizeBytes))) return undefined;
  const uploadId = state.upload?.ticket.uploadId;
  const inUpload = hasReleased(extents) ? uploadId : undefined;
  const recoveries: Recovery[] = [];
  if (map.sizeBytes > sizeBytes && (await sizeOf(spool)) > 0) {
    // Its own name is that of the other, should that be kept too.
    const copyId = id.slice(-8);
    const missing = [
      ...leftOut(extents),
      ...(inUpload === undefined ? [] : [onlyInUpload(inUpload)]),
      ...(survived ? [] : [MAY_BE_ZEROS]),
    ];
    const because = { reason: WRITTEN_ON, atMs: clock.now(), acknowledged: false };
    const about = aboutDraft({ ...state, id: copyId }, because, missing.join('; ') || undefined);
    const head = Buffer.from(bytes ?? '', 'base64');
    const path = await keepCopy(spool, { name: keptName({ label, id: copyId }), first: head, about });
    const reason = [WRITTEN_ON, ...missing].join('; ');
    recoveries.push({ draftId: id, label, outcome: { kind: 'kept', path, reason } });
  }
  const closed: DraftState = {
    ...state,
    // The notes may describe all the bytes.
    annotations: setIn(state),
    noted: {},
    phase: 'publishing',
    extents: map.slice(0, sizeBytes),
    upload: undefined,
    closed: undefined,
    bytes,
    onDisk: bytes === undefined,
    bootId,
  };
  if (uploadId !== undefined && inUpload === undefined) void aborts.abort(uploadId);
  journal.record({ type: 'draft', draft: closed });
  await journal.durable();
  if ((await sizeOf(spool)) > sizeBytes) await truncate(spool, sizeBytes);
  return { closed, recoveries };
}
