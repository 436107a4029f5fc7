import type { ProjectFileNode } from '../model/node.ts';

/**
 * The file has content here that the platform does not have yet: other bytes, or none any more. Or it has, as another file
 * than the record tells of: who publishes has not taken that on.
 */
export function isAhead({ draft, record }: ProjectFileNode): boolean {
  if (draft === undefined) return false;
  const { dirty, sizeBytes, publishedFileId = record?.id } = draft;
  return dirty || sizeBytes !== record?.sizeBytes || publishedFileId !== record.id;
}
