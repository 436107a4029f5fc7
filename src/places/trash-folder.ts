/** In the root folder of a project: what mounts with a trash removed (src/trash). */
export const TRASH = '.svcfs-trash';

interface Named {
  readonly names: readonly string[];
}

/** What is below a folder for one who walks through it: the trash of the project only when the walk begins in that. */
export function withoutTrash<P extends Named>(folder: Named, places: readonly P[]): readonly P[] {
  return folder.names[0] === TRASH ? places : places.filter(({ names }) => names[0] !== TRASH);
}
