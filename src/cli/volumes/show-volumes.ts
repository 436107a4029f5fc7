import type { VolumeSummary } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { collect, pagesInOrder } from '../../lib/pages-in-order.ts';
import { printFacts } from '../describe/print-facts.ts';
import { printJson, printTable } from '../describe/print-table.ts';
import { onItem } from '../platform/find-item.ts';
import type { Context } from '../platform/find-places.ts';
import { onPlatform } from '../platform/reach-platform.ts';
import { describeVolume, volumeLines } from './describe-volume.ts';

interface ShowOptions {
  readonly json: boolean;
}

/** Lists the volumes that the user is a member of: 100 a request. */
export async function listVolumes({ json }: ShowOptions, context: Context): Promise<void> {
  await onPlatform(context, async ({ platform: { api } }) => {
    const pages = pagesInOrder<VolumeSummary>((page, signal) => api.volumes.list(page, { signal }), {
      what: 'the list of volumes',
      limit: PAGE_LIMIT_MAX,
      signal: context.signal,
    });
    const volumes = await collect(pages);
    if (json) printJson(volumes.map(({ id }) => ({ id })));
    else
      printTable(
        volumes,
        { VOLUME: ({ id }) => id },
        'there is no volume yet: svcfs volume create NAME connects a bucket',
      );
  });
}

export async function showVolume(given: string, { json }: ShowOptions, context: Context): Promise<void> {
  await onItem('volumes', given, context, async ({ platform: { api }, id }) => {
    const volume = await api.volumes.get(id, { signal: context.signal });
    if (json) printJson(describeVolume(volume));
    else printFacts(volumeLines(volume));
  });
}
