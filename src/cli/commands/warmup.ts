import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { describeSize } from '../../lib/describe-size.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import { wrapped } from '../describe/help-format.ts';
import { sayFailures } from '../describe/say-failures.ts';
import { CliError } from '../exit-codes.ts';
import { askMount } from '../mount/ask-mount.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { locateAll } from '../mount/select-mount.ts';
import { connectionOf } from '../mount/status-of.ts';
import type { WarmUpProgress, WarmUpResult } from '../mount/warm-up.ts';
import { circumstancesOf } from '../progress/describe-circumstances.ts';
import { showing, type WaitOptions } from '../progress/show-progress.ts';
import type { ReadStanding, Standing } from '../progress/standing.ts';

const DETAILS = `
Fetches whole files, and all files below folders, into the disk cache of their mount (--cache-dir). Reading them then asks
the service for no byte. Cached blocks are not fetched again: after an interruption, the same command goes on where it was.

Exit code 0 says that every file is in the cache, which is checked once more at the end. Files that do not fit, or that are
in no mount, are named, and the others go on.

Examples:
  svcfs warmup ~/svc/projects/demo/trio-exomes
  find ~/svc -name '*.bam' | svcfs warmup --list -`;

interface WarmUpOptions extends WaitOptions {
  readonly list: string | undefined;
}

export function addWarmupCommand(program: Command): void {
  program
    .command('warmup')
    .summary('fetch files into the disk cache')
    .description('Fetch whole files or folders into the disk cache of a mount.')
    .argument('[path...]', 'files or folders in a mount')
    .option('--list <file>', 'file with more paths, one a line; - for the standard input')
    .option('-q, --quiet', 'show no progress', false)
    .option('--json', 'print the result as JSON, and the progress as lines of JSON on standard error', false)
    .addHelpText('after', wrapped(DETAILS))
    .action(warmup);
}

async function warmup(paths: readonly string[], { list, ...options }: WarmUpOptions): Promise<void> {
  const all = [...paths, ...(list === undefined ? [] : await pathsIn(list))];
  if (all.length === 0) throw new CliError('usage', 'name a file or folder, or give --list');
  const { mounts, outside } = await locateAll(all);
  sayFailures(outside);
  let { failed } = outside;
  for (const { mount, paths: inMount } of mounts) {
    const result = await warmUpIn(mount, inMount, options);
    if (options.json) console.log(JSON.stringify(result));
    else tell(mount.mountPoint, result);
    failed += result.failed;
  }
  if (failed > 0)
    throw new CliError('failure', `${failed === 1 ? '1 file' : `${failed} files`} could not be cached`);
}

async function warmUpIn(
  mount: SvcfsMount,
  paths: readonly string[],
  options: WaitOptions,
): Promise<WarmUpResult> {
  let now: WarmUpProgress | undefined;
  const read: ReadStanding = async (ended) =>
    now && { ...amountsOf(now), ...circumstancesOf(await connectionOf(mount, ended), Date.now()) };
  return showing(read, { ...options, doing: 'fetching' }, async () => {
    for await (const said of askMount(mount, { request: 'warmup', paths })) {
      if (said.answer === 'failed') throw new CliError('failure', `${mount.mountPoint}: ${said.message}`);
      if (said.answer === 'warming') now = said.progress;
      if (said.answer === 'warmup') return said.result;
    }
    throw new CliError('failure', `${mount.mountPoint}: its process does not answer`);
  });
}

function amountsOf({
  doneFiles,
  doneBytes,
  foundFiles,
  foundBytes,
}: WarmUpProgress): Pick<Standing, 'done' | 'total'> {
  return { done: { items: doneFiles, bytes: doneBytes }, total: { items: foundFiles, bytes: foundBytes } };
}

function tell(mountPoint: string, result: WarmUpResult): void {
  sayFailures(result);
  const { doneFiles, doneBytes, fetchedBytes } = result.progress;
  const files = doneFiles === 1 ? '1 file' : `${doneFiles} files`;
  console.log(
    `${mountPoint}: ${files}, ${describeSize(doneBytes)}, cached; ${describeSize(fetchedBytes)} fetched now`,
  );
}

async function pathsIn(list: string): Promise<readonly string[]> {
  try {
    const lines = list === '-' ? await text(process.stdin) : await readFile(list, 'utf8');
    return lines.split(/\r?\n/).filter((line) => line.trim() !== '');
  } catch (error) {
    throw new CliError('usage', `cannot read the list ${list}: ${plainReason(error)}`, { cause: error });
  }
}
