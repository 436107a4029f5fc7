/**
 * The rest that an ended mount owed of a draft, by how far it had come: its content, its way to a volume, its
 * annotations.
 */
import { stat } from 'node:fs/promises';
import { errorCode } from '../../../lib/error-code.ts';
import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import type { ObjectPlace, OwedDraft } from '../../ports.ts';
import { setIn } from '../draft/draft-annotations.ts';
import { change, type FileChanges } from '../draft/file-changes.ts';
import { aboutDraft } from '../draft/keep-draft.ts';
import { keepSpool } from '../draft/keep-spool.ts';
import type { SpooledDraft } from '../draft/spooled-draft.ts';
import type { WriterContext } from '../draft/writer-context.ts';
import type { DraftState } from '../journal/journal-entry.ts';
import { hasSurvived, MAY_BE_ZEROS } from '../journal/spool-survival.ts';
import { keptName } from '../kept/kept-name.ts';
import { removeSpool } from '../spool/spool-file.ts';

export function owedContent(draft: SpooledDraft, state: DraftState, { deliver }: WriterContext): OwedDraft {
  const { target } = state;
  const { onward } = target;
  return {
    target,
    annotations: setIn(state),
    draft: onward === undefined ? draft : undefined,
    finish: async () => {
      const file = await draft.publish(NEVER_ABORTED);
      if (onward === undefined) return draft.close();
      await deliver(file.id, onward);
      await draft.discard();
    },
    keep: (because) => draft.keep(because),
  };
}

/** It is uploaded; what is owed is the object. */
export function owedObject(
  state: DraftState,
  { fileId, place }: { readonly fileId: string; readonly place: ObjectPlace },
  { deliver, journal, spoolPath, bootId }: WriterContext,
): OwedDraft {
  const { id, target, annotations } = state;
  const spool = spoolPath(id);
  const missing = hasSurvived(state, bootId) ? undefined : MAY_BE_ZEROS;
  return {
    target,
    annotations,
    draft: undefined,
    finish: async () => {
      await deliver(fileId, place);
      await removeSpool(spool);
      journal.record({ type: 'end', id });
    },
    keep: async (because) => {
      const about = aboutDraft(state, because, missing);
      const kept =
        (await sizeOf(spool)) === 0
          ? undefined
          : { path: await keepSpool(spool, keptName(state), about), missing };
      journal.record({ type: 'end', id });
      return kept;
    },
  };
}

/** It is published; what is owed is what was set meanwhile. */
export function owedAnnotations(
  { id, target }: DraftState,
  { fileId, changes }: { readonly fileId: string; readonly changes: FileChanges },
  { api, journal }: WriterContext,
): OwedDraft {
  return {
    target,
    annotations: changes.annotations,
    draft: undefined,
    finish: async () => {
      await change(api, fileId, changes, { priority: 'data' });
      journal.record({ type: 'end', id });
    },
    keep: async () => {
      journal.record({ type: 'end', id });
      return undefined;
    },
  };
}

/** A file that is not there has no bytes. */
export async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}
