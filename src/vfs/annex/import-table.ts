import type { Errno } from '../../lib/errno.ts';
import { messageOf } from '../../lib/message-of.ts';
import { applyPlans } from '../../metadata/apply/apply-plans.ts';
import { resultTable } from '../../metadata/apply/result-table.ts';
import { isFailure, type RowResult } from '../../metadata/apply/results.ts';
import { undoTable } from '../../metadata/apply/undo-table.ts';
import { printTable } from '../../metadata/format/print-table.ts';
import { readTable } from '../../metadata/format/read-table.ts';
import { planTable } from '../../metadata/plan/plan-table.ts';
import { rowHash } from '../../metadata/row-hash.ts';
import type { Format, Table } from '../../metadata/table.ts';
import { describeProblem, TableError } from '../../metadata/table-error.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import { folderPlace } from '../listing/places-at.ts';
import type { Tree } from '../model/tree.ts';
import { requireWritable } from '../model/write-access.ts';
import { learnAnnotations } from '../xattr/learn-annotations.ts';
import type { Lineage } from './lineage.ts';
import type { LocalRoom } from './local-room.ts';
import type { TableScope } from './table-scope.ts';

export interface WrittenTable {
  readonly name: string;
  readonly format: Format;
  readonly bytes: Uint8Array;
  readonly scope: TableScope;
  /** Where the tables of old values, of results, and a refused one stay. */
  readonly room: LocalRoom;
}

export interface ImportParts {
  readonly tree: Tree;
  readonly lineage: Lineage;
}

const BYTES_MAX = 256 * 1024 * 1024;
const TOLD_MAX = 5;
const RESULTS = 'results.tsv';
const UNDO = 'undo-';
const UNDOS_KEPT = 10;

/** Sends what differs from the platform. @throws FsError: EINVAL, and nothing was sent; else some rows were not applied */
export async function importTable(
  written: WrittenTable,
  { tree, lineage }: ImportParts,
  signal: AbortSignal,
): Promise<void> {
  const { scope, room } = written;
  requireWritable(tree, scope.folder);
  await room.discard(RESULTS);
  const { table, plans } = await planned(written, { tree, lineage }, signal);
  const undo = undoTable(plans);
  if (undo.rows.length > 0) await keepUndo(room, printTable(undo, 'tsv'), tree.clock.now());
  const { results, stopped } = await applyPlans(plans, {
    api: tree.api,
    signal,
    onChanged: (files) => learnAnnotations(tree, files),
  });
  for (const { plan, now } of results)
    if (now && plan.kind === 'change') lineage.follows(plan.file.id, rowHash(plan.file), rowHash(now));
  const failures = results.filter(isFailure);
  await room.discard(rejectedName(written));
  if (failures.length === 0) return;
  await room.write(RESULTS, printTable(resultTable(results, table.keys), 'tsv'));
  const reason = `${summaryOf(results, stopped)}; ${RESULTS} beside the table tells of each row`;
  throw new FsError(
    errnoOfResults(failures, stopped),
    reason,
    stopped === undefined ? {} : { cause: stopped },
  );
}

/** As patch(1) names what it could not apply. */
export function rejectedName({ name }: Pick<WrittenTable, 'name'>): string {
  return `${name}.rej`;
}

/** A table that is refused stays, as `metadata.tsv.rej`. */
async function planned(
  written: WrittenTable,
  { tree, lineage }: ImportParts,
  signal: AbortSignal,
): Promise<{ readonly table: Table; readonly plans: Awaited<ReturnType<typeof planTable>>['plans'] }> {
  const { format, bytes, scope, room } = written;
  const rejected = rejectedName(written);
  try {
    if (bytes.length > BYTES_MAX) throw new FsError('EFBIG', 'a table in a mount has at most 256 MiB');
    const table = readTable(bytes, { format });
    const folder = folderPlace(scope.folder);
    const { plans } = await planTable(table, {
      api: tree.api,
      signal,
      base: folder,
      within: folder,
      followPath: false,
      force: false,
      accept: false,
      isOwnChange: (file, base) => lineage.isOwn(file.id, base, rowHash(file)),
    });
    return { table, plans };
  } catch (error) {
    await room.write(rejected, bytes);
    if (!(error instanceof TableError)) throw error;
    throw new FsError(
      'EINVAL',
      `${some(error.problems.map(describeProblem))}. Nothing was sent, and the table is ${rejected} now: correct it, or ` +
        'use svcfs meta import, which has more options',
    );
  }
}

/** Of the tables of old values the last few stay. */
async function keepUndo(room: LocalRoom, text: Iterable<string>, nowMs: number): Promise<void> {
  await room.write(`${UNDO}${new Date(nowMs).toISOString().replaceAll(':', '-')}.tsv`, text);
  const all = (await room.names()).filter((name) => name.startsWith(UNDO)).sort();
  for (const name of all.slice(0, -UNDOS_KEPT)) await room.remove(name);
}

function some(texts: readonly string[]): string {
  const more = texts.length - TOLD_MAX;
  return [...texts.slice(0, TOLD_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function summaryOf(results: readonly RowResult[], stopped: unknown): string {
  const done = results.filter((result) => !isFailure(result)).length;
  const told = results.filter((result) => isFailure(result) && result.outcome !== 'not sent');
  const notSent = results.filter(({ outcome }) => outcome === 'not sent').length;
  const reasons = told.map(
    ({ plan, outcome, detail }) => `row ${plan.row.number}: ${outcome}${detail ? `: ${detail}` : ''}`,
  );
  return some([
    `of ${results.length} rows ${done} are applied`,
    ...(stopped === undefined ? [] : [messageOf(stopped)]),
    ...(notSent > 0 ? [`${notSent} were not sent: write the table again to do the rest`] : []),
    ...reasons,
  ]);
}

function errnoOfResults(failures: readonly RowResult[], stopped: unknown): Errno {
  if (stopped !== undefined) return errnoOf(stopped);
  return failures.some(({ outcome }) => outcome.startsWith('failed')) ? 'EACCES' : 'EBUSY';
}
