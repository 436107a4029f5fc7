import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportTable } from '../../metadata/apply/export-table.ts';
import { readTable } from '../../metadata/format/read-table.ts';
import { planTable } from '../../metadata/plan/plan-table.ts';
import type { RowPlan } from '../../metadata/plan/row-plan.ts';
import { filesAt } from '../../places/list-files.ts';
import { confirmed } from '../ask.ts';
import { CliError } from '../exit-codes.ts';
import { type Context, findPlaces } from '../platform/find-places.ts';
import { whileDeaf } from '../platform/interruptible.ts';
import type { Platform } from '../platform/platform.ts';
import { describePlans } from './describe-plan.ts';
import { type PlannedTable, sendPlanned } from './import-table.ts';
import { readBytes, telling, writeTable } from './table-files.ts';

export interface EditOptions {
  readonly recursive: boolean;
  /** Without asking. */
  readonly yes: boolean;
}

/** Opens the table of the files at paths in an editor, and imports what was made of it: a blank cell erases its pair. */
export async function editTable(
  paths: readonly string[],
  options: EditOptions,
  context: Context,
): Promise<void> {
  if (!options.yes && !process.stdin.isTTY)
    throw new CliError('usage', 'no terminal to ask at: give --yes to change files without a question');
  const { groups, failures } = await findPlaces(paths, context);
  const [group, ...others] = groups;
  try {
    const [failure] = failures.failures;
    if (failure !== undefined) throw new CliError('failure', `${failure.path}: ${failure.reason}`);
    if (group === undefined || others.length > 0)
      throw new CliError('usage', 'paths of several platforms are no one table');
    const { platform, places } = group;
    const asking = { api: platform.api, signal: context.signal, recursive: options.recursive };
    const files = await Promise.all(places.map(({ place }) => filesAt(place, asking)));
    const byId = new Map(files.flat().map((place) => [place.file.id, place]));
    if (byId.size === 0)
      throw new CliError('failure', 'there is no file; -r means the files in folders below, too');
    await editIn(await mkdtemp(join(tmpdir(), 'svcfs-meta-')), exportTable([...byId.values()]), {
      platform,
      options,
      context,
    });
  } catch (error) {
    throw group?.platform.explain(error) ?? error;
  } finally {
    await Promise.all(groups.map(({ platform }) => platform.close()));
  }
}

interface Editing {
  readonly platform: Platform;
  readonly options: EditOptions;
  readonly context: Context;
}

/** The directory stays as long as something in it is of use: a table that was refused, or the one of old values. */
async function editIn(
  directory: string,
  exported: ReturnType<typeof exportTable>,
  { platform, options, context: { signal } }: Editing,
): Promise<void> {
  const path = join(directory, 'metadata.tsv');
  let keep = false;
  try {
    await writeTable(path, exported);
    const before = await readBytes(path);
    await whileDeaf(() => runEditor(path));
    const after = await readBytes(path);
    if (Buffer.compare(before, after) === 0) {
      console.log('nothing was changed');
      return;
    }
    keep = true;
    const planned = await planEdited(path, after, { platform, signal });
    keep = (await options.yes) || (await confirmedPlans(planned.plans, signal));
    if (keep)
      await sendPlanned(path, planned, { results: undefined, undo: join(directory, 'undo.tsv') }, signal);
  } catch (error) {
    if (keep) console.error(`svcfs: the table is at ${path}: svcfs meta import --blank=erase takes it`);
    throw error;
  } finally {
    if (!keep) await rm(directory, { recursive: true, force: true });
  }
}

async function planEdited(
  path: string,
  bytes: Uint8Array,
  { platform, signal }: { readonly platform: Platform; readonly signal: AbortSignal },
): Promise<PlannedTable> {
  return telling(path, async () => {
    const table = readTable(bytes, { format: 'tsv', blank: 'erase' });
    const how = { base: undefined, followPath: false, force: false, accept: false };
    const planned = await planTable(table, { api: platform.api, signal, ...how });
    return { ...planned, keys: table.keys, platform };
  });
}

/** The variables may hold options as well, as for other programs. */
async function runEditor(path: string): Promise<void> {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi';
  const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new CliError('failure', `the editor (${editor}) failed; nothing was sent`);
}

const LINES_SHOWN = 20;

/** Shows the changes and asks. The end of the input is a no. */
async function confirmedPlans(plans: readonly RowPlan[], signal: AbortSignal): Promise<boolean> {
  const lines = [...describePlans(plans)];
  if (lines.length === 0) return true;
  for (const line of lines.slice(0, LINES_SHOWN)) console.log(line);
  if (lines.length > LINES_SHOWN) console.log(`and ${lines.length - LINES_SHOWN} more`);
  return confirmed('Change these files?', signal);
}
