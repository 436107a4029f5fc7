import type { TreeName } from '../../vfs/directories/selection.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import { locate, type PathInMount } from '../mount/select-mount.ts';
import type { Context } from './find-places.ts';
import { inMount, onPlatform, type Reached } from './reach-platform.ts';

export interface ReachedItem extends Reached {
  /** `owner/name` */
  readonly id: string;
}

export const KINDS = {
  projects: { word: 'project', scheme: 'project:' },
  volumes: { word: 'volume', scheme: 'volume:' },
} as const;

export type ItemTree = TreeName & keyof typeof KINDS;

/** Does work on a project or volume: `project:owner/name`, `owner/name`, or its directory in a mount. */
export async function onItem<T>(
  tree: ItemTree,
  given: string,
  context: Context,
  work: (reached: ReachedItem) => Promise<T>,
): Promise<T> {
  const { scheme, word } = KINDS[tree];
  const plain = given.startsWith(scheme) ? given.slice(scheme.length) : given;
  const isId = /^[^/]+\/[^/]+\/?$/.test(plain) && !/^\.{0,2}(\/|$)|\n/.test(plain);
  const located = given === plain ? await locate(given) : undefined;
  const id = located === undefined ? undefined : await itemAt(tree, located);
  if (located !== undefined && id !== undefined)
    return inMount(located.mount, context, (reached) => work({ ...reached, id }));
  if (!isId)
    throw new CliError('usage', `${given}: no ${word}: write owner/name, or its directory in a mount`);
  return onPlatform(context, (reached) => work({ ...reached, id: plain.replace(/\/$/, '') }));
}

/** The id of what has that directory; undefined when the path is none of that kind. */
async function itemAt(tree: ItemTree, { mount, path }: PathInMount): Promise<string | undefined> {
  const { places } = await inquire(mount, { request: 'places', paths: [path] });
  const [place] = places;
  if (tree === 'projects' && place?.kind === 'folder' && place.parent === undefined) return place.project;
  return tree === 'volumes' && place?.kind === 'prefix' && place.prefix === '' ? place.volume : undefined;
}
