import type { StartImportBody } from '../../contract/import-job.ts';
import type { HasClock } from '../../lib/clock.ts';
import { checkFileName, destinationFolder } from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { oneOf } from '../http/one-of.ts';
import { ServiceError } from '../http/service-error.ts';
import type { JobRow } from '../jobs/job-table.ts';
import { newJob } from '../jobs/submit-jobs.ts';
import { demand, isOwnedId } from '../members/members.ts';
import type { HasStore } from '../store/store.ts';
import { usableVolume, volumeKey, volumeKeyPrefix } from '../volumes/volumes.ts';
import type { ImportRequest } from './transfer-requests.ts';

/**
 * The job of an import, checked as far as the store behind the volume need not be asked.
 *
 * @param overwrite The query's; true there or in the body wins.
 * @throws ServiceError 9033, 9007, 9020, 9069 volume; 9011, 9072 location; 9012, 5031, 5026, 5022, 9003 destination; 9018 name
 */
export async function importJob(
  services: HasStore & HasClock,
  caller: Caller,
  { body, overwrite }: { readonly body: StartImportBody; readonly overwrite: boolean },
): Promise<JobRow> {
  const { source, destination } = body;
  const volumeId = oneOf(source, ['volume', 'volume_id'], 9033);
  if (volumeId === undefined) throw new ServiceError(9033, 'The source names no volume.');
  const volume = await usableVolume(services.store, caller, { id: volumeId, permission: 'copy' });
  const folder = body.preserve_folder_structure === true && source.location.endsWith('/');
  const place = folder ? volumeKeyPrefix : volumeKey;
  const segments = place(volume.address.prefix, source.location).split('/').filter(Boolean);
  const { project, parent } = destination;
  if (!project && !parent) throw new ServiceError(9012);
  if (project && !isOwnedId(project)) throw new ServiceError(9012);
  const to = await destinationFolder(services.store, caller, {
    project,
    parent,
    malformed: 9012,
    missing: 9012,
  });
  demand(to.permissions, 'write', 9003);
  const request: ImportRequest = {
    volume: volumeId,
    location: source.location,
    destination: given({ project, parent, name: destination.name }),
    parentId: to.file.id,
    name: checkFileName(destination.name || segments.at(-1), 9018),
    overwrite: overwrite || body.overwrite === true,
    autorename: body.autorename === true,
    folder,
  };
  const about = { project_id: to.file.project_id, volume_id: volumeId };
  return newJob(services, caller, { kind: 'import', about, request });
}

function given(fields: Readonly<Record<string, string | null | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => !!field[1]));
}
