import { resultTable } from '../../metadata/apply/result-table.ts';
import { undoTable } from '../../metadata/apply/undo-table.ts';
import { formatOf, readTable } from '../../metadata/format/read-table.ts';
import { readSheet } from '../../metadata/format/sheet.ts';
import { checkSheet } from '../../metadata/plan/check-sheet.ts';
import { joinSheet } from '../../metadata/plan/join-sheet.ts';
import { planRows, planTable, type TablePlan } from '../../metadata/plan/plan-table.ts';
import type { RowPlan } from '../../metadata/plan/row-plan.ts';
import type { Format, Table } from '../../metadata/table.ts';
import { filesAt } from '../../places/list-files.ts';
import { CliError } from '../exit-codes.ts';
import { type ChosenPlatform, choosePlatform } from '../platform/choose-platform.ts';
import type { Context } from '../platform/find-places.ts';
import type { Platform } from '../platform/platform.ts';
import { requireDone, sendPlans, tellResults } from './apply.ts';
import { sayJoin } from './say-join.ts';
import { readBytes, telling, writeTable } from './table-files.ts';

export interface TableOptions {
  readonly format: Format | undefined;
  readonly in: string | undefined;
  readonly key: string | undefined;
  readonly base: string | undefined;
  readonly blank: 'keep' | 'erase';
  readonly force: boolean;
  readonly accept: boolean;
  readonly followPath: boolean;
}

export interface SendingOptions {
  readonly results: string | undefined;
  /** False: none. Undefined: beside the table. */
  readonly undo: string | false | undefined;
}

export interface PlannedTable extends TablePlan {
  readonly keys: readonly string[];
  readonly platform: Platform;
}

/** Reads a table and its files, and checks all of it. The caller closes the platform. */
export async function planFile(path: string, options: TableOptions, context: Context): Promise<PlannedTable> {
  const { key, base, blank, format = formatOf(path) } = options;
  if (key !== undefined && options.in === undefined)
    throw new CliError('usage', '--key needs --in PATH: the folder or project with the files of the samples');
  const bytes = await readBytes(path);
  const old = base === undefined ? undefined : await readOld(base);
  const sheet = key === undefined ? undefined : await telling(path, () => sheetOf(bytes, format, key));
  const table = sheet ? undefined : await telling(path, () => readTable(bytes, { format, blank }));
  const chosen = await choosePlatform(options.in, context);
  const { platform } = chosen;
  try {
    const planned = sheet
      ? await planSheet({ path, ...sheet }, chosen, options, context)
      : await telling(path, () =>
          planTable(table ?? { keys: [], rows: [] }, planning(chosen, options, context, old)),
        );
    return { ...planned, keys: table?.keys ?? sheet?.sheet.keys ?? [], platform };
  } catch (error) {
    await platform.close();
    throw platform.explain(error) ?? error;
  }
}

function planning(
  { platform, folder }: ChosenPlatform,
  { followPath, force, accept }: TableOptions,
  { signal }: Context,
  old: Table | undefined,
) {
  return { api: platform.api, signal, base: folder, followPath, force, accept, old };
}

async function readOld(path: string): Promise<Table> {
  const bytes = await readBytes(path);
  return telling(path, () => readTable(bytes, { format: formatOf(path) }));
}

interface KeyedSheet {
  readonly sheet: ReturnType<typeof readSheet>;
  readonly key: string;
}

function sheetOf(bytes: Uint8Array, format: Format, given: string): KeyedSheet {
  const [, column, key] = /^([^=]+)=(.+)$/s.exec(given) ?? [];
  if (column === undefined || key === undefined)
    throw new CliError('usage', `--key ${given}: write COLUMN=KEY, such as Sample_ID=sample_id`);
  const sheet = readSheet(bytes, format, column);
  checkSheet(sheet);
  return { sheet, key };
}

async function planSheet(
  { path, sheet, key }: KeyedSheet & { readonly path: string },
  chosen: ChosenPlatform,
  options: TableOptions,
  context: Context,
): Promise<TablePlan> {
  const { platform, folder } = chosen;
  if (folder === undefined) throw new CliError('usage', '--key needs --in PATH');
  const files = await filesAt(folder, { api: platform.api, signal: context.signal, recursive: true });
  const join = joinSheet(sheet, key, files);
  sayJoin(join);
  return telling(path, () => planRows(join.found, planning(chosen, options, context, undefined)));
}

/** Sends what was planned, after the table that takes it back was written. */
export async function sendPlanned(
  path: string,
  { plans, blanks, keys, platform }: PlannedTable,
  { results, undo }: SendingOptions,
  signal: AbortSignal,
): Promise<void> {
  const undoPath = await writeUndo(plans, undo ?? undoBeside(path));
  const applied = await sendPlans(plans, platform, signal);
  if (results !== undefined) await writeTable(results, resultTable(applied.results, keys));
  tellResults(applied);
  if (blanks > 0)
    console.log(`blank cells that were left alone: ${blanks} (--blank=erase erases those pairs)`);
  if (undoPath !== undefined) console.log(`to take it back: svcfs meta undo ${undoPath}`);
  requireDone(applied, platform);
}

async function writeUndo(plans: readonly RowPlan[], path: string | false): Promise<string | undefined> {
  const table = undoTable(plans);
  if (path === false || table.rows.length === 0) return undefined;
  await writeTable(path, table, { flag: 'wx' });
  return path;
}

/** A name of its own for each run: after an interruption, the next run takes back its own part only. */
function undoBeside(path: string): string | false {
  if (path === '-') return false;
  const time = new Date().toISOString().replace(/[-:.]/g, '');
  return `${path.replace(/\.[^./]*$/, '')}.undo-${time}.tsv`;
}

export async function importTable(
  path: string,
  options: TableOptions & SendingOptions,
  context: Context,
): Promise<void> {
  const planned = await planFile(path, options, context);
  try {
    await sendPlanned(path, planned, options, context.signal);
  } finally {
    await planned.platform.close();
  }
}

/** A table of old values: they may be what looks like damage. */
export const UNDOING: TableOptions = {
  format: undefined,
  in: undefined,
  key: undefined,
  base: undefined,
  blank: 'keep',
  force: false,
  accept: true,
  followPath: false,
};
