import type { Api } from '../../api/api.ts';
import type { ProjectSummary, VolumeSummary } from '../../api/model.ts';
import type { Clock } from '../../lib/clock.ts';
import type { VirtualSource } from '../model/node.ts';
import type { NodeMaker } from '../model/node-maker.ts';
import { Catalog } from './catalog.ts';
import { directory, fixedDirectory } from './fixed-directory.ts';
import type { OwnersOptions } from './owners.ts';
import { owners } from './owners.ts';

/** The lists that the platform gives the user of the mount. */
export interface Catalogs {
  readonly projects: Catalog<ProjectSummary>;
  readonly volumes: Catalog<VolumeSummary>;
}

export interface RootParts {
  readonly catalogs: Catalogs;
  readonly make: NodeMaker;
  readonly ttlMs: number;
  /** `.svcfs/` */
  readonly control: VirtualSource;
}

export function createCatalogs(api: Api, time: { readonly clock: Clock; readonly ttlMs: number }): Catalogs {
  return {
    projects: new Catalog<ProjectSummary>(api.projects, time),
    volumes: new Catalog<VolumeSummary>(api.volumes, time),
  };
}

/** The top of the mount. */
export function root(parts: RootParts): VirtualSource {
  const { make, control } = parts;
  return fixedDirectory([
    directory('projects', owners(projectOwners(parts)), make),
    directory('volumes', owners(volumeOwners(parts)), make),
    directory('.svcfs', control, make),
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
