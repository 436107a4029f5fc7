import type { TrashListOptions } from '../../config/trash-options.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { printable } from '../../lib/printable.ts';
import type { Context } from '../platform/find-places.ts';
import { placeOfTrash } from './trash-places.ts';

const SIZE_WIDTH = 11;

export async function listTrash(
  paths: readonly string[],
  { olderThan, json }: TrashListOptions,
  context: Context,
): Promise<void> {
  for (const path of paths) {
    const place = await placeOfTrash(path, context);
    try {
      const asked = await place.ask({ action: 'list', ...olderThanOf(olderThan) });
      const { project, files } = asked;
      for (const { id, day, names, now, sizeBytes } of files) {
        const at = place.shown(asked, now);
        const before = place.shown(asked, names);
        if (json) console.log(JSON.stringify({ day, path: before, trash: at, size: sizeBytes, id, project }));
        else console.log(`${describeSize(sizeBytes).padStart(SIZE_WIDTH)}  ${printable(at)}`);
      }
    } finally {
      await place.close();
    }
  }
}

export function olderThanOf(ms: number | undefined): { readonly olderThanMs?: number } {
  return ms === undefined ? {} : { olderThanMs: ms };
}
