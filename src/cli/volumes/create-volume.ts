import { printJson } from '../describe/print-table.ts';
import { CliError } from '../exit-codes.ts';
import type { Context } from '../platform/find-places.ts';
import { pathOfItem } from '../platform/path-of-item.ts';
import { onPlatform } from '../platform/reach-platform.ts';
import { describeVolume } from './describe-volume.ts';
import { explainStore } from './explain-store.ts';
import { editOf, type VolumeFields } from './volume-fields.ts';

export interface CreateVolumeOptions extends VolumeFields {
  readonly json: boolean;
}

/** Connects a bucket. The platform tries bucket, key and rights first; a second volume of the name is refused. */
export async function createVolume(
  name: string,
  options: CreateVolumeOptions,
  context: Context,
): Promise<void> {
  if (!/^[A-Za-z0-9_]{1,32}$/.test(name))
    throw new CliError(
      'usage',
      `${JSON.stringify(name)}: a volume's name has at most 32 letters, digits and _`,
    );
  if (options.bucket === undefined) throw new CliError('usage', 'name the bucket: --bucket NAME');
  if (options.accessKeyId === undefined && options.role === undefined)
    throw new CliError('usage', 'name a key for the bucket: --access-key-id ID, or a role: --role ARN');
  const { access_mode = 'RW', service, ...fields } = await editOf(options);
  await onPlatform(context, async (reached) => {
    const { platform } = reached;
    const volume = await platform.api.volumes
      .create({ ...fields, name, access_mode, service: { type: 's3', ...service } })
      .catch((error: unknown) => Promise.reject(explainStore(error)));
    await platform.onItemsChanged([{ tree: 'volumes', id: volume.id }]);
    if (options.json) printJson(describeVolume(volume));
    else console.log(await pathOfItem(reached, 'volumes', volume.id));
  });
}
