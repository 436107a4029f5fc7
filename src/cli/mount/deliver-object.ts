import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/errors.ts';
import type { FileRecord } from '../../api/model.ts';
import { ContentError, type DeliverObject } from '../../content/ports.ts';
import { isAliasOf } from '../../jobs/is-alias-of.ts';
import type { Jobs } from '../../jobs/ports.ts';
import { exportStaged, type Staging } from '../../vfs/publish/staging.ts';

export interface DeliveryOptions {
  readonly api: Api;
  readonly jobs: Jobs;
  readonly staging: Staging | undefined;
}

/**
 * Brings a file that an ended mount had uploaded for a volume there, unless someone else put another object in its
 * place.
 */
export function deliverObject({ api, jobs, staging }: DeliveryOptions): DeliverObject {
  return async (fileId, { volume, location, replaces }) => {
    const path = `${volume}/${location}`;
    if (!staging)
      throw new ContentError('failed', `${path} is uploaded; mount with --staging-project to export it`);
    const [{ accessMode, active }, file, present] = await Promise.all([
      api.volumes.get(volume),
      findFile(api, fileId),
      api.volumes.object(volume, location),
    ]);
    // The file goes last: the object is the one that was exported.
    if (!file && present) return;
    if (!file) throw new ContentError('changed', `the upload for ${path} was deleted`);
    if (present && present.etag !== replaces && !isAliasOf(file, { volume, location })) {
      await api.files.delete(file.id);
      throw new ContentError('changed', `someone else wrote ${path}`);
    }
    const target = { kind: 'volume', volume, accessMode, active, location } as const;
    await exportStaged(jobs, { file, staging, target, overwrite: true, path });
    await api.files.delete(file.id);
  };
}

async function findFile(api: Api, id: string): Promise<FileRecord | undefined> {
  try {
    const entry = await api.files.get(id);
    return entry.kind === 'file' ? entry : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
