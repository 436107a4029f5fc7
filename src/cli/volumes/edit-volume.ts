import type { VolumeEdit } from '../../api/api.ts';
import { confirmed } from '../ask.ts';
import { printJson } from '../describe/print-table.ts';
import { CliError } from '../exit-codes.ts';
import { onItem } from '../platform/find-item.ts';
import type { Context } from '../platform/find-places.ts';
import { requireTerminal } from '../require-terminal.ts';
import { describeVolume } from './describe-volume.ts';
import { explainStore } from './explain-store.ts';
import { editOf, type VolumeFields } from './volume-fields.ts';

export interface EditVolumeOptions extends VolumeFields {
  readonly json: boolean;
}

export interface EndVolumeOptions {
  readonly force: boolean;
  readonly json: boolean;
}

/** Changes what is given. New keys, and a new bucket, are tried first. */
export async function editVolume(given: string, options: EditVolumeOptions, context: Context): Promise<void> {
  const changes = await editOf(options);
  if (Object.keys(changes).length === 0)
    throw new CliError('usage', 'nothing to change: give --description, --access-mode or another field');
  await changeVolume(given, changes, { context, json: options.json });
}

/** `force` also ends imports and exports of a volume that are not over. */
export function activateVolume(
  given: string,
  active: boolean,
  { force, json }: EndVolumeOptions,
  context: Context,
): Promise<void> {
  return changeVolume(given, { active, ...(force && { force }) }, { context, json });
}

async function changeVolume(
  given: string,
  changes: VolumeEdit & { readonly force?: boolean },
  { context, json }: { readonly context: Context; readonly json: boolean },
): Promise<void> {
  await onItem('volumes', given, context, async ({ platform, id }) => {
    const volume = await platform.api.volumes
      .edit(id, changes)
      .catch((error: unknown) => Promise.reject(explainStore(error)));
    await platform.onItemsChanged([{ tree: 'volumes', id }]);
    if (json) printJson(describeVolume(volume));
  });
}

/** Disconnects a bucket that is not active. Its objects stay in the store. */
export async function deleteVolume(
  given: string,
  options: EndVolumeOptions,
  context: Context,
): Promise<void> {
  requireTerminal(options);
  await onItem('volumes', given, context, async ({ platform, id }) => {
    const { signal } = context;
    const volume = await platform.api.volumes.get(id, { signal });
    if (volume.active)
      throw new CliError('failure', `${id} is active: svcfs volume deactivate ${id} goes before`);
    if (!options.force) {
      const { total } = await platform.api.volumes.members(id, { offset: 0, limit: 1 }, { signal });
      const question =
        `Forget the volume ${id} (bucket ${volume.bucket}), which has ${total === 1 ? '1 member' : `${total} members`}? ` +
        'Its objects stay in the store.';
      if (!(await confirmed(question, signal))) return;
    }
    await platform.api.volumes.delete(id);
    await platform.onItemsChanged([{ tree: 'volumes', id }]);
    if (options.json) printJson({ id, deleted: true });
  });
}
