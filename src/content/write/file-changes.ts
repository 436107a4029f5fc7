import type { Annotations } from '../ports.ts';

/** Annotations as one edit of the file. */
export function fileChanges({ metadata, tags }: Annotations): {
  metadata: Annotations['metadata'];
  tags?: readonly string[];
} {
  return { metadata, ...(tags !== undefined && { tags }) };
}
