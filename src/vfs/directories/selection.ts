import { IdPatterns } from '../../lib/id-patterns.ts';

/** The directories at the top that hold what the platform has, in the order in which they are listed. */
export const TREES = ['projects', 'volumes'] as const;
export type TreeName = (typeof TREES)[number];

/** The part of the platform that a mount shows. A tree whose part is undefined is shown whole. */
export interface Selection {
  readonly trees?: readonly TreeName[] | undefined;
  /** Patterns `OWNER/NAME`. */
  readonly projects?: readonly string[] | undefined;
  readonly volumes?: readonly string[] | undefined;
}

const FLAGS = { projects: '--project', volumes: '--volume' } as const;

/** Why there is nothing at a path, by the selection alone; undefined: there may be something. */
export function unselectedAt(selection: Selection, path: string): string | undefined {
  const [top = '', owner, name] = path.split('/').filter((part) => part !== '');
  const tree = TREES.find((each) => each === top);
  if (tree === undefined) return undefined;
  if (selection.trees?.includes(tree) === false)
    return `the mount does not show ${tree} (--trees ${selection.trees.join()})`;
  const patterns = selection[tree];
  if (patterns === undefined || owner === undefined) return undefined;
  const selected = new IdPatterns(patterns);
  const isShown = name === undefined ? selected.hasOwner(owner) : selected.has(`${owner}/${name}`);
  if (isShown) return undefined;
  const given = patterns.map((pattern) => `${FLAGS[tree]} ${pattern}`).join(' ');
  return `of the ${tree}, the mount shows those of ${given} only`;
}
