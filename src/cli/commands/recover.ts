import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { stateDirectory } from '../../config/directories.ts';
import { printable } from '../../lib/printable.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { withProgress } from '../progress/progress-options.ts';
import { showing, type WaitOptions } from '../progress/show-progress.ts';
import { uploadsOf } from '../progress/uploads-standing.ts';
import { drop, retry, save } from '../recover/deal-with-kept.ts';
import { describeKept, describeKeptRow } from '../recover/describe-kept.ts';
import {
  type FoundKept,
  type KeptEntry,
  keptInState,
  meantBy,
  needsPerson,
  shortId,
  shownPath,
} from '../recover/kept-entries.ts';

const DETAILS = `
Some of what programs wrote is on this machine alone:

  - files whose upload the service refused
  - files that another client replaced while they were written here (--conflict fail)
  - metadata that the service refused (--write-back), as tables that svcfs meta import takes
  - bytes that fsync(2) acknowledged, of a file whose close failed
  - files that a killed mount left

They stay until you deal with them, whether a mount runs or not. svcfs status and svcfs mount name them.

FILE is an id that the list shows, the path of the file in its mount, or the path of the file that keeps the bytes. The
list has one of these words for each file:

  refused   the service refused it; the mount where it was written shows it still
  aside     it has no place in the mount
  waiting   the next mount on its mount point sends it
  unclosed  its mount was killed before it was closed; the next mount puts it aside

Examples:
  svcfs recover list
  svcfs recover save 1f0c2a9e ~/rescued.bam
  svcfs recover retry --all
  svcfs recover drop --yes 1f0c2a9e`;

export function addRecoverCommand(program: Command): void {
  const recover = program
    .command('recover')
    .summary('deal with files that are on this machine and not on the service')
    .description('Deal with files that are on this machine and not on the service.')
    .addHelpText('after', wrapped(DETAILS));
  recover.command('list').description('List the files, oldest first.').action(list);
  recover
    .command('show')
    .description('Show all that is known of a file.')
    .argument('<file>', 'an id, or a path')
    .action(show);
  recover
    .command('save')
    .description('Copy a file to a place of your choice; svcfs keeps it too, until drop.')
    .argument('<file>', 'an id, or a path')
    .argument('<dest>', 'a new file, or a directory')
    .option('--replace', 'replace what is at the destination', false)
    .action(saveCommand);
  const retryFiles = recover
    .command('retry')
    .description('Upload files again: now if their mount runs, else with the next mount.')
    .argument('[file...]', 'ids, or paths')
    .option('--all', 'all files that are refused or aside', false);
  withProgress(retryFiles).action(retryCommand);
  recover
    .command('drop')
    .description('Remove files from this machine for ever.')
    .argument('[file...]', 'ids, or paths')
    .option('--all', 'all files that are refused or aside', false)
    .option('--yes', 'do not ask for confirmation', false)
    .action(dropCommand);
}

async function list(): Promise<void> {
  const { entries, unreadable } = await keptInState(state());
  for (const entry of entries) console.log(describeKeptRow(entry));
  if (entries.length === 0 && unreadable.length === 0) console.log('nothing is kept on this machine');
  if (unreadable.length > 0) throw new CliError('failure', unreadable.join('\n'));
}

async function show(given: string): Promise<void> {
  console.log(describeKept(await one(given)));
}

async function saveCommand(given: string, to: string, options: { readonly replace: boolean }): Promise<void> {
  console.log(await save(await one(given), to, options));
}

interface Which {
  readonly all: boolean;
}

async function retryCommand(
  given: readonly string[],
  { all, ...options }: Which & WaitOptions,
): Promise<void> {
  await forEach(await several(given, all), (entry) => {
    const uploads = uploadsOf(entry.place, entry.file.label);
    return showing(uploads, { ...options, doing: 'uploading' }, () => retry(entry));
  });
}

async function dropCommand(
  given: readonly string[],
  { all, yes }: Which & { readonly yes: boolean },
): Promise<void> {
  const entries = await several(given, all);
  if (!yes && entries.length > 0) await confirm(entries);
  await forEach(entries, drop);
}

/** Does what can be done, and says of the rest why not. */
async function forEach(
  entries: readonly KeptEntry[],
  deal: (entry: KeptEntry) => Promise<string>,
): Promise<void> {
  const failures: string[] = [];
  for (const entry of entries) {
    try {
      console.log(await deal(entry));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      failures.push(
        error instanceof CliError ? error.message : printable(`${shownPath(entry)}: ${error.message}`),
      );
    }
  }
  if (failures.length > 0) throw new CliError('failure', failures.join('\n'));
}

async function confirm(entries: readonly KeptEntry[]): Promise<void> {
  const names = entries.map((entry) => printable(shownPath(entry)));
  if (!process.stdin.isTTY)
    throw new CliError(
      'usage',
      `this removes for ever:\n  ${names.join('\n  ')}\nnothing was removed: give --yes`,
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`This removes for ever:\n  ${names.join('\n  ')}\nRemove? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('failure', 'nothing was removed');
  } finally {
    terminal.close();
  }
}

async function several(given: readonly string[], all: boolean): Promise<readonly KeptEntry[]> {
  if (all === given.length > 0)
    throw new CliError('usage', 'name the files, or give --all; svcfs recover list shows them');
  const found = await keptInState(state());
  if (!all) return [...new Set(given.map((each) => only(found, each)))];
  // Somebody who means all of them must hear that there may be more.
  for (const line of found.unreadable) console.error(`svcfs: perhaps kept here: ${line}`);
  const entries = found.entries.filter(needsPerson);
  if (entries.length === 0) console.log('nothing was refused or is kept aside');
  return entries;
}

async function one(given: string): Promise<KeptEntry> {
  return only(await keptInState(state()), given);
}

function only({ entries, unreadable }: FoundKept, given: string): KeptEntry {
  const [first, ...others] = meantBy(entries, given);
  if (first === undefined) {
    const said = printable(`${given}: nothing of that name is kept; svcfs recover list shows what is`);
    throw new CliError('failure', [said, ...unreadable.map((line) => `perhaps here: ${line}`)].join('\n'));
  }
  if (others.length === 0) return first;
  const ids = [first, ...others].map(({ file }) => shortId(file)).join(', ');
  throw new CliError('usage', printable(`${given}: several are kept, name one by its id: ${ids}`));
}

function state(): string {
  return stateDirectory(process.env, homedir());
}
