import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { plainReason } from '../../lib/plain-reason.ts';
import { printable } from '../../lib/printable.ts';
import { type PrintedTable, printTable } from '../../metadata/format/print-table.ts';
import { formatOf } from '../../metadata/format/read-table.ts';
import { describeProblem, TableError } from '../../metadata/table-error.ts';
import { CliError } from '../exit-codes.ts';

const STDIN = '-';

/** The bytes of a table, or of the standard input for `-`. */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return path === STDIN ? await buffer(process.stdin) : await readFile(path);
  } catch (error) {
    throw new CliError('usage', `cannot read ${path}: ${plainReason(error)}`, { cause: error });
  }
}

/** Durable when it resolves: what follows may be killed. */
export async function writeTable(
  path: string,
  table: PrintedTable,
  how?: { readonly flag: 'wx' },
): Promise<void> {
  try {
    await writeFile(path, [...printTable(table, formatOf(path))].join(''), { flush: true, ...how });
  } catch (error) {
    throw new CliError('failure', `cannot write ${path}: ${plainReason(error)}`, { cause: error });
  }
}

const PROBLEMS_TOLD = 20;

/** What a person reads of a table that cannot be used. */
export function tableRefusal(path: string, error: TableError): CliError {
  const { problems } = error;
  const name = path === STDIN ? 'standard input' : path;
  const lines = problems.slice(0, PROBLEMS_TOLD).map((problem) => printable(describeProblem(problem)));
  const more = problems.length - lines.length;
  const [only = ''] = lines;
  const text =
    problems.length === 1
      ? `${name}: ${only}; nothing was sent`
      : [
          `${name}: nothing was sent, for ${problems.length} reasons:`,
          ...lines.map((line) => `  ${line}`),
          ...(more > 0 ? [`  and ${more} more`] : []),
        ].join('\n');
  return new CliError('usage', text, { cause: error });
}

/** Runs what reads or sends a table; a table that is refused becomes a line for the person. */
export async function telling<T>(path: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TableError ? tableRefusal(path, error) : error;
  }
}
