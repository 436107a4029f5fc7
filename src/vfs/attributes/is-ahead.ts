import type { ProjectFileNode } from '../node.ts';

/** The file has content here that the platform does not have yet: other bytes, or none any more. */
export function isAhead({ draft, record }: ProjectFileNode): boolean {
  return draft !== undefined && (draft.dirty || draft.sizeBytes !== record?.sizeBytes);
}
