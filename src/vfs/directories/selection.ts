import { IdPatterns } from '../../lib/id-patterns.ts';

/** The directories at the top that hold what the platform has, in the order in which they are listed. */
export const TREES = ['projects', 'volumes', 'apps', 'tasks', 'billing'] as const;
export type TreeName = (typeof TREES)[number];

/** Those of synthetic entries (`src/vfs/trees`). */
export type SyntheticTreeName = Exclude<TreeName, 'projects' | 'volumes'>;

/** The part of the platform that a mount shows. A tree whose part is undefined is shown whole. */
export interface Selection {
  readonly trees?: readonly TreeName[] | undefined;
  /** Patterns `OWNER/NAME`. */
  readonly projects?: readonly string[] | undefined;
  readonly volumes?: readonly string[] | undefined;
}

/** Why there is nothing at a path, by the selection alone; undefined: there may be something. */
export function unselectedAt(selection: Selection, path: string): string | undefined {
  const [top = '', owner, name] = path.split('/').filter((part) => part !== '');
  const tree = TREES.find((each) => each === top);
  if (tree === undefined) return undefined;
  if (selection.trees?.includes(tree) === false)
    return `the mount does not show ${tree} (--trees ${selection.trees.join()})`;
  const patterns = patternsOf(selection, tree, owner);
  if (patterns === undefined || owner === undefined) return undefined;
  const selected = new IdPatterns(patterns);
  const isShown = name === undefined ? selected.hasOwner(owner) : selected.has(`${owner}/${name}`);
  if (isShown) return undefined;
  const flag = tree === 'volumes' ? '--volume' : '--project';
  const given = patterns.map((pattern) => `${flag} ${pattern}`).join(' ');
  return `of the ${tree}, the mount shows those of ${given} only`;
}

/** Apps are those of projects, beside the public ones and what is searched for. */
function patternsOf(
  { projects, volumes }: Selection,
  tree: TreeName,
  owner: string | undefined,
): readonly string[] | undefined {
  if (tree === 'volumes') return volumes;
  if (tree === 'apps' && (owner === 'public' || owner?.startsWith('.'))) return undefined;
  return tree === 'billing' ? undefined : projects;
}
