import type { ProjectSummary } from '../../api/model.ts';
import type { Catalog } from '../directories/catalog.ts';
import { canBeGiven, nameOnPlatform, shownName } from '../model/escape.ts';
import type { SyntheticDirectory, SyntheticPage } from '../model/synthetic.ts';

export interface ProjectLevels {
  readonly catalog: Catalog<ProjectSummary>;
  readonly ttlMs: number;
  /** What is shown of a project. */
  readonly make: (project: ProjectSummary) => SyntheticDirectory;
}

/** `<owner>/<project>/` of the projects of the user, for what is shown of each. */
export function projectLevels(parts: ProjectLevels): SyntheticDirectory {
  const { catalog, ttlMs } = parts;
  return {
    kind: 'directory',
    entriesTtlMs: ttlMs,
    lookup: async (name, signal) => {
      if (!isOwnName(name) || !catalog.mayHaveOwner(nameOnPlatform(name))) return undefined;
      const has = (items: readonly ProjectSummary[]) =>
        items.some(({ owner }) => owner === nameOnPlatform(name));
      const isThere = has(await all(parts, signal)) || has((await catalog.withOwner(signal)).items);
      return isThere ? projectsOf(nameOnPlatform(name), parts) : undefined;
    },
    list: async (_, signal) =>
      directories((await all(parts, signal)).map(({ owner }) => shownName(owner, 'entry'))),
  };
}

function projectsOf(owner: string, parts: ProjectLevels): SyntheticDirectory {
  const { catalog, ttlMs, make } = parts;
  return {
    kind: 'directory',
    entriesTtlMs: ttlMs,
    lookup: async (name, signal) => {
      if (!isOwnName(name)) return undefined;
      const id = `${owner}/${nameOnPlatform(name)}`;
      const known = (await all(parts, signal)).find((project) => project.id === id);
      const project = known ?? (await catalog.find(id, signal));
      return project && { id: project.id, ...make(project) };
    },
    list: async (_, signal) =>
      directories(
        (await all(parts, signal))
          .filter((project) => project.owner === owner)
          .map(({ shortName }) => shownName(shortName, 'entry')),
      ),
  };
}

/** Those that the mount asked for ahead count, as in `projects/`. */
async function all({ catalog }: ProjectLevels, signal: AbortSignal): Promise<readonly ProjectSummary[]> {
  return ((await catalog.expected(signal)) ?? (await catalog.all(signal))).items;
}

function directories(names: readonly string[]): SyntheticPage {
  return { names: [...new Set(names)].map((name) => ({ name, kind: 'directory' })) };
}

/** Shells and file managers look for `.git` and the like everywhere. */
function isOwnName(name: string): boolean {
  return !name.startsWith('.') && canBeGiven(name);
}
