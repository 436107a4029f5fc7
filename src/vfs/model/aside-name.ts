import type { EntryRecord } from '../../api/model.ts';

/** The name of a file that waits in the root folder of its project for the end of a rename or of its last handle. */
export function asideName(fileId: string): string {
  return `.svcfs-aside-${fileId}`;
}

/** Out of the way for us or for another mount: its name says its own id, which nobody else would give it. */
export function isAside({ id, name }: EntryRecord): boolean {
  return name === asideName(id);
}
