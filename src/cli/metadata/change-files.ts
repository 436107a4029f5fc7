import type { FileRecord } from '../../api/model.ts';
import { printable } from '../../lib/printable.ts';
import { undoTable } from '../../metadata/apply/undo-table.ts';
import { checkTable } from '../../metadata/plan/check-table.ts';
import { planRows } from '../../metadata/plan/plan-table.ts';
import type { Cell, TableRow } from '../../metadata/table.ts';
import { TableError } from '../../metadata/table-error.ts';
import { describePath } from '../../places/platform-path.ts';
import { sayFailures } from '../describe/say-failures.ts';
import { CliError } from '../exit-codes.ts';
import type { Context } from '../platform/find-places.ts';
import { requireDone, sendPlans, tellResults } from './apply.ts';
import { type NamedFile, withFiles } from './each-file.ts';
import { writeTable } from './table-files.ts';

/** The same change for many files. */
export interface FileChange {
  readonly pairs?: ReadonlyMap<string, Cell>;
  /** The new tags of a file. */
  readonly tags?: (before: readonly string[]) => readonly string[];
}

export interface ChangeOptions {
  readonly recursive: boolean;
  readonly undo: string | undefined;
}

/** Changes the files at paths, 100 a request. Paths that cannot be found leave the others. */
export async function changeFiles(
  paths: readonly string[],
  change: FileChange,
  { recursive, undo }: ChangeOptions,
  context: Context,
): Promise<void> {
  checkChange(change);
  const failures = await withFiles(paths, { ...context, recursive }, async (files, platform) => {
    const rows = files.map((file, index) => ({
      row: rowOf({ ...file.file, path: describePath(file) }, change, index),
      path: file.path,
      file: file.file,
    }));
    const asking = { api: platform.api, signal: context.signal, base: undefined, followPath: false };
    const { plans } = await planRows(rows, { ...asking, force: true, accept: true }).catch(refusalOf(files));
    if (undo !== undefined) await writeTable(undo, undoTable(plans));
    const applied = await sendPlans(plans, platform, context.signal);
    tellResults(applied);
    requireDone(applied, platform);
  });
  sayFailures(failures);
  if (failures.failed > 0) throw new CliError('failure', 'not all of it could be changed');
}

function rowOf(
  { id, tags: before, path }: Pick<FileRecord, 'id' | 'tags'> & { readonly path?: string },
  { pairs = new Map(), tags }: FileChange,
  number: number,
): TableRow {
  return { number, id, path, base: undefined, blanks: [], pairs, tags: tags?.(before) };
}

/** A mistake that concerns every file is told before any is looked for. */
function checkChange(change: FileChange): void {
  const row = rowOf({ id: '', tags: [] }, change, 0);
  try {
    checkTable({ keys: [...row.pairs.keys()], rows: [row] });
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    const [{ column, text } = { text: '' }] = error.problems;
    throw new CliError('usage', `${printable(column ?? '')}: ${text}; nothing was sent`, { cause: error });
  }
}

function refusalOf(files: readonly NamedFile[]): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof TableError)) throw error;
    const [{ row, text } = { row: undefined, text: '' }] = error.problems;
    const file = row === undefined ? undefined : files[row];
    const where = file === undefined ? '' : `${printable(file.path)}: `;
    throw new CliError('failure', `${where}${text}; nothing was sent`, { cause: error });
  };
}
