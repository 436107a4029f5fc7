import type { FilePlace } from '../../places/places.ts';
import { describePath } from '../../places/platform-path.ts';
import type { PrintedTable } from '../format/print-table.ts';
import { userPairs } from '../own-pairs.ts';
import { rowHash } from '../row-hash.ts';
import { EXPORT_COLUMNS } from '../table.ts';

/** The table of files as they are. `pathOf`: how their paths are written. */
export function exportTable(files: readonly FilePlace[], pathOf = describePath): PrintedTable {
  const keys = new Set<string>();
  const rows = files.map((place) => {
    const { file } = place;
    // No column can have an empty name: such a pair stays as it is.
    const pairs = Object.entries(userPairs(file.metadata)).filter(([key]) => key !== '');
    for (const [key] of pairs) keys.add(key);
    return {
      facts: {
        'svc.id': file.id,
        'svc.path': pathOf(place),
        'svc.size': file.sizeBytes,
        'svc.tags': file.tags,
        'svc.base': rowHash(file),
      },
      pairs: new Map(pairs),
    };
  });
  return { facts: EXPORT_COLUMNS, keys: [...keys].sort(byteOrder), rows };
}

export function byteOrder(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
