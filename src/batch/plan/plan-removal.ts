import type { Place } from '../../places/places.ts';
import type { Deletion, Step } from '../step.ts';

export interface Removal {
  /** As a person knows it. */
  readonly source: string;
  readonly place: Place;
  /** Of all below, where they were counted. */
  readonly bytes?: number | undefined;
}

/** Files go by bulk calls, and folders with all below them by jobs: a hundred in each. */
export function planRemoval(removals: readonly Removal[]): readonly Step[] {
  const files: Deletion[] = [];
  const folders: Deletion[] = [];
  const known = new Set<string>();
  for (const { source, place, bytes } of removals) {
    const name = place.names.at(-1) ?? '';
    const isFile = place.kind === 'file';
    const { id, parent } = isFile ? place.file : place;
    if (known.has(id)) continue;
    known.add(id);
    const item = { source, id, from: { parent, name }, bytes: isFile ? place.file.sizeBytes : bytes };
    (isFile ? files : folders).push(item);
  }
  return [
    ...(files.length > 0 ? [{ kind: 'delete', items: files } as const] : []),
    ...(folders.length > 0 ? [{ kind: 'job', operation: 'delete', items: folders } as const] : []),
  ];
}
