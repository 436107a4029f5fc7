import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import { randomId } from '../../lib/random-id.ts';
import { newFile } from '../files/new-file.ts';
import { filesIn } from '../files/tables/file-table.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { ProjectRow } from '../members/project-table.ts';
import type { Services } from '../services.ts';
import { storedTime } from '../store/stored-time.ts';
import { createVolume } from '../volumes/create-volume.ts';
import { addressOfVolume, bucketOf } from '../volumes/volume-access.ts';
import type { VolumeRow } from '../volumes/volume-table.ts';
import { SHELF } from './trio-exomes.ts';

/** Keys and the files of the trio study that lie there. */
type Objects = Readonly<Record<string, string>>;

const KNOWN_SITES = 'known-sites/known-sites.vcf';

const REFERENCE_OBJECTS: Objects = {
  'genomes/demo-1/genome.fa': 'reference/genome.fa',
  'genomes/demo-1/genome.fa.fai': 'reference/genome.fa.fai',
  'genomes/demo-1/genome.dict': 'reference/genome.dict',
  'annotation/genes.gtf': 'reference/genes.gtf',
  'annotation/exome-targets.bed': 'reference/exome-targets.bed',
  [KNOWN_SITES]: SHELF.dataset,
};

const RESULTS_OBJECTS: Objects = {
  'README.md': 'README.md',
  '2023-pilot/father.bam': 'father/father.bam',
  '2023-pilot/father.bam.bai': 'father/father.bam.bai',
  '2023-pilot/qc/father.flagstat.txt': 'father/qc/father.flagstat.txt',
};

/** A read-only volume of reference data, one object of which is an alias in the project, and one for results. */
export async function addDemoVolumes(
  services: Services,
  user: Caller,
  { trioDirectory, trio }: { readonly trioDirectory: string; readonly trio: ProjectRow },
): Promise<void> {
  const reference = await addVolume(services, user, {
    name: 'reference',
    description: 'Reference data for everyone.',
    access: 'RO',
  });
  await addObjects(services, reference, { directory: trioDirectory, objects: REFERENCE_OBJECTS });
  const results = await addVolume(services, user, {
    name: 'results',
    description: 'Where results go.',
    access: 'RW',
  });
  await addObjects(services, results, { directory: trioDirectory, objects: RESULTS_OBJECTS });
  await addAlias(services, trio, { volume: reference, location: KNOWN_SITES });
}

function addVolume(
  services: Services,
  user: Caller,
  volume: { readonly name: string; readonly description: string; readonly access: string },
): Promise<VolumeRow> {
  const credentials = { access_key_id: 'demo', secret_access_key: 'demo' };
  return createVolume(services, user, {
    name: volume.name,
    description: volume.description,
    access_mode: volume.access,
    service: { type: 's3', bucket: `demo-${volume.name}`, credentials },
  });
}

async function addObjects(
  services: Services,
  volume: VolumeRow,
  { directory, objects }: { readonly directory: string; readonly objects: Objects },
): Promise<void> {
  const bucket = await bucketOf(services, { row: volume, address: addressOfVolume(volume) });
  for (const [key, path] of Object.entries(objects)) {
    await bucket.put(
      key,
      { kind: 'stream', stream: createReadStream(join(directory, path)) },
      { overwrite: false },
    );
  }
}

/** Puts an alias of an object into the project's folder `reference`. */
async function addAlias(
  services: Services,
  project: ProjectRow,
  { volume, location }: { readonly volume: VolumeRow; readonly location: string },
): Promise<void> {
  const { store, clock } = services;
  const bucket = await bucketOf(services, { row: volume, address: addressOfVolume(volume) });
  const object = await bucket.head(location);
  const folder = await filesIn(store).findChild(project.root_folder, 'reference');
  if (object === undefined || folder === undefined) throw new ServiceError(9105);
  await filesIn(store).insert(
    newFile({
      id: randomId(),
      project_id: project.id,
      parent_id: folder.id,
      name: basename(location),
      size: object.sizeBytes,
      created_by: project.owner,
      created_on: storedTime(clock.now()),
      volume_id: volume.id,
      location,
      etag: object.etag,
    }),
  );
}
