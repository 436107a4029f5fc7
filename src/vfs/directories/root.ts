import type { Api } from '../../api/api.ts';
import type { ProjectSummary, VolumeSummary } from '../../api/model.ts';
import type { Clock } from '../../lib/clock.ts';
import { IdPatterns } from '../../lib/id-patterns.ts';
import { ANNEX } from '../model/escape.ts';
import type { VirtualSource } from '../model/node.ts';
import type { NodeMaker } from '../model/node-maker.ts';
import type { SyntheticDirectory } from '../model/synthetic.ts';
import { Catalog } from './catalog.ts';
import { directory, fixedDirectory, syntheticDirectory } from './fixed-directory.ts';
import { NO_PROJECTS } from './no-projects.ts';
import type { OwnersOptions } from './owners.ts';
import { owners } from './owners.ts';
import { type Selection, type SyntheticTreeName, TREES, type TreeName } from './selection.ts';

/** The lists that the platform gives the user of the mount. */
export interface Catalogs {
  readonly projects: Catalog<ProjectSummary>;
  readonly volumes: Catalog<VolumeSummary>;
}

export interface RootParts {
  readonly catalogs: Catalogs;
  readonly make: NodeMaker;
  readonly ttlMs: number;
  /** `.svcfs/`, and whether it is listed. */
  readonly control: SyntheticDirectory;
  readonly showsControl: boolean;
  readonly synthetic: Readonly<Record<SyntheticTreeName, SyntheticDirectory>>;
  readonly selection?: Selection | undefined;
}

export function createCatalogs(
  api: Api,
  time: { readonly clock: Clock; readonly ttlMs: number },
  { projects, volumes }: Selection = {},
): Catalogs {
  return {
    projects: new Catalog<ProjectSummary>(api.projects, time, projects && new IdPatterns(projects)),
    volumes: new Catalog<VolumeSummary>(api.volumes, time, volumes && new IdPatterns(volumes)),
  };
}

/** `.svcfs/`: unless it is listed, it is found by its name. */
export function controlDirectory(control: SyntheticDirectory, isListed: boolean): VirtualSource {
  return { ...syntheticDirectory(control), isHidden: !isListed };
}

/** The top of the mount. */
export function root(parts: RootParts): VirtualSource {
  const { make, control, showsControl, synthetic, selection } = parts;
  const trees: Readonly<Record<TreeName, () => VirtualSource>> = {
    // Of a selection, none may be there for many reasons.
    projects: () => ({
      ...owners(projectOwners(parts)),
      whenEmpty: selection?.projects === undefined ? NO_PROJECTS : undefined,
    }),
    volumes: () => owners(volumeOwners(parts)),
    apps: () => syntheticDirectory(synthetic.apps),
    tasks: () => syntheticDirectory(synthetic.tasks),
    billing: () => syntheticDirectory(synthetic.billing),
  };
  const shown = TREES.filter((name) => selection?.trees?.includes(name) ?? true);
  return fixedDirectory([
    ...shown.map((name) => directory(name, trees[name](), make)),
    directory(ANNEX, controlDirectory(control, showsControl), make),
  ]);
}

function projectOwners({ catalogs, make, ttlMs }: RootParts): OwnersOptions<ProjectSummary> {
  return {
    catalog: catalogs.projects,
    make,
    ttlMs,
    nameOf: (project) => project.shortName,
    makeItem: (project) => (place) =>
      make.projectFolder(place, { id: project.id, record: undefined }, undefined),
  };
}

function volumeOwners({ catalogs, make, ttlMs }: RootParts): OwnersOptions<VolumeSummary> {
  return {
    catalog: catalogs.volumes,
    make,
    ttlMs,
    nameOf: (volume) => volume.name,
    makeItem: (volume) => (place) =>
      make.volumeDirectory(place, { id: volume.id, record: undefined }, { prefix: '', local: false }),
  };
}
