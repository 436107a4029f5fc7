import type { Clock } from '../../lib/clock.ts';
import { exportTable } from '../../metadata/apply/export-table.ts';
import { printTable } from '../../metadata/format/print-table.ts';
import { FORMATS, type Format } from '../../metadata/table.ts';
import type { FilePlace } from '../../places/places.ts';
import type { NodeId } from '../file-system.ts';
import { inodeNumber } from '../model/inode-number.ts';
import type { AnnexDirectory, TableNode } from './node.ts';
import type { AnnexNodes } from './nodes.ts';

const PREFIX = 'metadata.';

export const TABLE_NAMES: readonly string[] = FORMATS.map((format) => `${PREFIX}${format}`);

export function isTableName(name: string): boolean {
  return TABLE_NAMES.includes(name);
}

function formatOf(name: string): Format | undefined {
  return FORMATS.find((format) => name === `${PREFIX}${format}`);
}

export interface TableParts {
  readonly nodes: AnnexNodes;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The node of a table with the text that it has now: the one before as long as that is the same. */
export async function tableNode(
  directory: AnnexDirectory,
  name: string,
  { nodes, clock, signal }: TableParts,
): Promise<TableNode> {
  const { scope } = directory.source;
  const files = await scope.files(signal);
  const format = formatOf(name) ?? 'tsv';
  const before = directory.children.get(name);
  if (before?.kind === 'table' && sameFiles(before.files, files)) return before;
  const bytes = Buffer.from([...printTable(exportTable(files), format)].join(''));
  if (before?.kind === 'table' && before.bytes.equals(bytes)) {
    before.files = files;
    return before;
  }
  return nodes.add((id: NodeId) => ({
    id,
    ino: inodeNumber(`${directory.ino}/${name}`),
    parent: directory,
    name,
    lookups: 0,
    kind: 'table',
    scope,
    format,
    bytes,
    files,
    madeMs: clock.now(),
  }));
}

/** Records are replaced when something changes, and never changed themselves. */
function sameFiles(some: readonly FilePlace[], others: readonly FilePlace[]): boolean {
  return (
    some.length === others.length &&
    some.every((place, index) => {
      const other = others[index];
      return other !== undefined && place.file === other.file && samePath(place, other);
    })
  );
}

function samePath({ names }: FilePlace, { names: others }: FilePlace): boolean {
  return names.length === others.length && names.every((name, index) => name === others[index]);
}
