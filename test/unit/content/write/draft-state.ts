import type { DraftState } from '../../../../src/content/write/journal/journal-entry.ts';

/** Of a draft that is being written, without any bytes. */
export function draftState(id: string, changes: Partial<DraftState> = {}): DraftState {
  return {
    id,
    label: `projects/alice/trial/${id}`,
    createdMs: 1,
    target: { parent: 'p', name: id, overwrite: true },
    base: undefined,
    annotations: undefined,
    phase: 'open',
    publishedFileId: undefined,
    extents: [],
    upload: undefined,
    ...changes,
  };
}
