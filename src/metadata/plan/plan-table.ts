import type { FileRecord } from '../../api/model.ts';
import type { FolderPlace } from '../../places/places.ts';
import type { Table, TableRow } from '../table.ts';
import { type Problem, refuseTable, TableError } from '../table-error.ts';
import { checkTable, refusalOfCount } from './check-table.ts';
import { type Comparing, compareRow } from './compare-row.ts';
import { type Finding, type FoundRow, findRows } from './find-rows.ts';
import { requireWithin } from './require-within.ts';
import { type CellChange, type ChangePlan, changed, type RowPlan } from './row-plan.ts';
import { isSpreadsheetDamage } from './spreadsheet-damage.ts';

export interface Planning extends Finding, Omit<Comparing, 'old'> {
  /** The table as it was exported, for a three-way merge. */
  readonly old?: Table | undefined;
  /** Values that look like damage by a spreadsheet are taken. */
  readonly accept: boolean;
  /** Files elsewhere are refused. Undefined: the table may be of any files. */
  readonly within?: FolderPlace | undefined;
}

export interface TablePlan {
  readonly plans: readonly RowPlan[];
  /** Cells that are blank although their file has such a pair. */
  readonly blanks: number;
}

/** Reads the files of a table, and plans what is to be sent. @throws TableError when a row cannot be used: nothing is sent then */
export async function planTable(table: Table, planning: Planning): Promise<TablePlan> {
  checkTable(table);
  const found = await findRows(table.rows, planning);
  if (planning.within) await requireWithin(found, planning.within, planning);
  return planRows(found, planning);
}

/** As `planTable`, of rows whose files are known. */
export async function planRows(found: readonly FoundRow[], planning: Planning): Promise<TablePlan> {
  const oldRows = planning.old && new OldRows(planning.old);
  const plans = found.map((each) => planOf(each, { ...planning, old: oldRows?.of(each.row) }));
  const problems = plans.flatMap((plan) => (plan.kind === 'change' ? problemsOf(plan, planning.accept) : []));
  if (problems.length > 0) throw new TableError(problems);
  await requireWritable(plans, planning);
  const blanks = found.reduce((sum, { row, file }) => sum + (file ? blanksOf(row, file) : 0), 0);
  return { plans, blanks };
}

function planOf(found: FoundRow, comparing: Comparing): RowPlan {
  const { row, path } = found;
  if (found.file === undefined) return { row, path, kind: 'conflict', reason: found.conflict };
  const { file } = found;
  const compared = compareRow(row, file, comparing);
  switch (compared.kind) {
    case 'same':
      return { row, path, kind: 'unchanged', file };
    case 'differs':
      return { row, path, kind: 'change', file, changes: compared.changes };
    case 'conflict':
      return { row, path, kind: 'conflict', reason: compared.reason };
  }
}

function problemsOf({ row, file, changes }: ChangePlan, accept: boolean): readonly Problem[] {
  const count = refusalOfCount(Object.keys(changed(file, changes).metadata).length);
  return [
    ...(count === undefined ? [] : [{ row: row.number, text: count }]),
    ...(accept ? [] : changes.flatMap((change) => damageIn(row.number, change))),
  ];
}

function damageIn(row: number, change: CellChange): readonly Problem[] {
  if (change.kind === 'tags' || change.after === null || change.before === undefined) return [];
  if (!isSpreadsheetDamage(change.before, change.after)) return [];
  const text = `a spreadsheet may have made ${change.after} of ${change.before}; --accept takes it`;
  return [{ row, column: change.key, text }];
}

/** One request a project. Whether the user made each file, which metadata needs as well, only the change itself tells. */
async function requireWritable(plans: readonly RowPlan[], { api, signal }: Planning): Promise<void> {
  const projects = new Set(plans.flatMap((plan) => (plan.kind === 'change' ? [plan.file.project] : [])));
  for (const project of projects) {
    if (project === '') continue;
    const { permissions } = await api.projects.get(project, { signal });
    if (!permissions.write) refuseTable(`you have no right to write in project ${project}`);
  }
}

function blanksOf({ blanks }: TableRow, { metadata }: FileRecord): number {
  return blanks.filter((key) => Object.hasOwn(metadata, key)).length;
}

/** The rows of an older table by id, and by path for those that have none. */
class OldRows {
  readonly #byId = new Map<string, TableRow>();
  readonly #byPath = new Map<string, TableRow>();

  constructor({ rows }: Table) {
    for (const row of rows) {
      if (row.id !== undefined) this.#byId.set(row.id, row);
      if (row.path !== undefined) this.#byPath.set(row.path, row);
    }
  }

  of({ id, path }: TableRow): TableRow | undefined {
    return this.#byId.get(id ?? '') ?? this.#byPath.get(path ?? '');
  }
}
