/**
 * `billing/<name>~<id>/`: what a billing group has spent. The first eight digits of the id find the group, whatever stands
 * before them, and the whole id alone does so, too.
 *
 *   total                         amount and currency
 *   breakdown.json .csv .tsv      the platform's answer, and a line for each task
 *   by-project/<owner>/<project>  amount and currency
 *   invoices/<id>.json
 */
import type { PlatformRecord } from '../../../api/api.ts';
import { printExactly } from '../../../lib/exact-json.ts';
import { isUuid } from '../../../lib/uuid.ts';
import { errnoOf } from '../../errors/errno-of.ts';
import { shownName } from '../../model/escape.ts';
import type { SyntheticDirectory, SyntheticEntry } from '../../model/synthetic.ts';
import { entriesOf, file, fixedEntries } from '../../synthetic/entries.ts';
import { findAmongAll, pageOf, type RecordPages } from '../record-pages.ts';
import { breakdownTable, projectsOf, totalOf } from './breakdown.ts';
import { invoices } from './invoices.ts';
import { type BillingParts, Breakdown } from './shared-breakdown.ts';

const ID_DIGITS = 8;

export function billing(parts: BillingParts): SyntheticDirectory {
  const { api, ttlMs } = parts;
  const pages: RecordPages = {
    api,
    kind: 'billing groups',
    query: {},
    nameOf: ({ id, name }) =>
      typeof id === 'string'
        ? {
            name: shownName(`${typeof name === 'string' ? name : ''}~${id.slice(0, ID_DIGITS)}`, 'entry'),
            kind: 'directory',
            entry: group(id, parts),
          }
        : undefined,
  };
  const directory: SyntheticDirectory = {
    kind: 'directory',
    entriesTtlMs: ttlMs,
    list: (cursor, signal) => pageOf(pages, cursor, signal),
    lookup: (name, signal) =>
      isUuid(name) ? groupById(name, parts, signal) : groupNamed(name, directory, signal),
  };
  return directory;
}

/** By the digits after the last `~`. */
function groupNamed(
  name: string,
  directory: SyntheticDirectory,
  signal: AbortSignal,
): Promise<SyntheticEntry | undefined> | undefined {
  const suffix = /~[0-9a-f]{8}$/.exec(name)?.[0];
  if (suffix === undefined) return undefined;
  return findAmongAll((each) => each.endsWith(suffix), directory, signal);
}

/** @throws what the platform says of one without the right */
async function groupById(
  id: string,
  parts: BillingParts,
  signal: AbortSignal,
): Promise<SyntheticEntry | undefined> {
  const breakdown = new Breakdown(id, parts);
  try {
    await breakdown.get(signal);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return group(id, parts, breakdown);
}

function group(id: string, parts: BillingParts, breakdown = new Breakdown(id, parts)): SyntheticDirectory {
  const { ttlMs } = parts;
  const of = (print: (record: PlatformRecord) => string): SyntheticEntry =>
    file(async (signal) => print(await breakdown.get(signal)));
  const entries = {
    total: of((record) => line(totalOf(record))),
    'breakdown.json': of((record) => `${printExactly(record, 2)}\n`),
    'breakdown.csv': of((record) => breakdownTable(record, 'csv')),
    'breakdown.tsv': of((record) => breakdownTable(record, 'tsv')),
    'by-project': byProject(breakdown, ttlMs),
    invoices: invoices(id, parts),
  };
  return fixedEntries(entries, { id, entriesTtlMs: ttlMs, fields: { id } });
}

function byProject(breakdown: Breakdown, ttlMs: number): SyntheticDirectory {
  const projects = async (signal: AbortSignal): Promise<readonly (readonly [string, string, string])[]> =>
    projectsOf(await breakdown.get(signal)).flatMap(({ project, spent }) => {
      const slash = project?.indexOf('/') ?? -1;
      return project === undefined
        ? []
        : [[project.slice(0, slash), project.slice(slash + 1), line(spent)] as const];
    });
  const ofOwner = (owner: string): SyntheticDirectory =>
    entriesOf(
      async (signal) =>
        Object.fromEntries(
          (await projects(signal))
            .filter(([each]) => each === owner)
            .map(([, name, spent]) => [shownName(name, 'entry'), file(() => spent)]),
        ),
      { entriesTtlMs: ttlMs },
    );
  return entriesOf(
    async (signal) =>
      Object.fromEntries(
        (await projects(signal)).map(([owner]) => [shownName(owner, 'entry'), ofOwner(owner)]),
      ),
    { entriesTtlMs: ttlMs },
  );
}

function line(text: string | undefined): string {
  return text === undefined ? '' : `${text}\n`;
}
