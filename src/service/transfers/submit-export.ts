import type { StartExportBody, StartExportQuery } from '../../contract/export-job.ts';
import type { HasClock } from '../../lib/clock.ts';
import { fileFor } from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { JobRow } from '../jobs/job-table.ts';
import { newJob } from '../jobs/submit-jobs.ts';
import { demand } from '../members/members.ts';
import type { HasStore } from '../store/store.ts';
import { checkProperties, exportProperties, usableVolume, volumeKey } from '../volumes/volumes.ts';
import { exportRefusal } from './exportable.ts';
import type { ExportRequest } from './transfer-requests.ts';

/**
 * The job of an export, checked as far as the store behind the volume need not be asked. An export that is no mere copy
 * takes the content out of the project, and so needs the permission to write there.
 *
 * @throws ServiceError 9009, 9004 file; 9006 not exportable; 9007, 9020, 9069, 9026 volume; 9011, 9072 location;
 *   9022, 9023, 9024 properties
 */
export async function exportJob(
  services: HasStore & HasClock,
  caller: Caller,
  { body, query }: { readonly body: StartExportBody; readonly query: StartExportQuery },
): Promise<JobRow> {
  const { store } = services;
  const { source, destination } = body;
  const { copy_only: copyOnly } = query;
  const volume = await usableVolume(store, caller, { id: destination.volume, permission: 'write' });
  if (volume.row.access_mode !== 'RW') throw new ServiceError(9026);
  const { file, permissions } = await fileFor(store, caller, source.file, 9009);
  const refusal = exportRefusal(file);
  if (refusal !== undefined) throw refusal;
  demand(permissions, copyOnly ? 'copy' : 'write', 9004);
  volumeKey(volume.address.prefix, destination.location);
  const own = body.properties ?? {};
  checkProperties(own);
  const request: ExportRequest = {
    file: file.id,
    volume: destination.volume,
    location: destination.location,
    properties: exportProperties(own, volume.address.properties),
    overwrite: body.overwrite === true || query.overwrite,
    copyOnly,
  };
  const about = { project_id: file.project_id, volume_id: destination.volume };
  return newJob(services, caller, { kind: 'export', about, request });
}
