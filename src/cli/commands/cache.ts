import type { Command } from 'commander';
import { describeSize } from '../../lib/describe-size.ts';
import { printable } from '../../lib/printable.ts';
import { describeDiskCache } from '../describe/describe-disk-cache.ts';
import { wrapped } from '../describe/help-format.ts';
import { sayFailures } from '../describe/say-failures.ts';
import { CliError } from '../exit-codes.ts';
import type { CachedFile } from '../mount/cache-inquiries.ts';
import { inquire } from '../mount/inquire.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { locateAll, selectMount } from '../mount/select-mount.ts';

/** As paths in a mount begin. */
const TOP = '/';

const DETAILS = `
With a mount point it shows how full the cache is, and how many bytes came from it since the mount began. The size is that of
the whole directory, which several mounts may share. With files or folders it shows how much of each file is cached.

Without a path it takes the mount that the working directory is in, or the only one there is.

Examples:
  svcfs cache                                    size, limit, and how much it helps
  svcfs cache ~/svc/projects/demo/trio-exomes    how much of each file is cached
  svcfs cache evict ~/svc/projects/demo/old      room for others`;

const EVICT_DETAILS = `
Programs that read an evicted file go on: its bytes come from the service again. --all takes a mount point, and also removes
what other mounts put into the same directory.`;

export function addCacheCommand(program: Command): void {
  const cache = program
    .command('cache')
    .summary('show what is in the disk cache of a mount')
    .description('Show what is in the disk cache of a mount.')
    .argument('[path...]', 'files or folders in a mount, or a mount point')
    .addHelpText('after', wrapped(DETAILS))
    .action(show);
  cache
    .command('evict')
    .description('Remove files from the disk cache.')
    .argument('[path...]', 'files or folders in a mount')
    .option('--all', 'remove everything from the cache', false)
    .addHelpText('after', EVICT_DETAILS)
    .action(evict);
}

async function show(paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return showWhole(await selectMount(undefined));
  const { mounts, outside } = await locateAll(paths);
  sayFailures(outside);
  let { failed } = outside;
  for (const { mount, paths: inMount } of mounts) {
    if (inMount.includes(TOP)) await showWhole(mount);
    const below = inMount.filter((path) => path !== TOP);
    if (below.length === 0) continue;
    const answer = await inquire(mount, { request: 'cache', paths: below });
    for (const file of answer.files) console.log(describeCached(file));
    sayFailures(answer);
    failed += answer.failed;
  }
  requireNone(failed, 'looked at');
}

async function showWhole(mount: SvcfsMount): Promise<void> {
  const { statistics } = await inquire(mount, { request: 'cache', paths: [] });
  for (const line of describeDiskCache({ diskCache: statistics, warnings: [] })) console.log(line);
}

async function evict(paths: readonly string[], { all }: { readonly all: boolean }): Promise<void> {
  if (all && paths.length > 1) throw new CliError('usage', '--all goes with one mount');
  if (!all && paths.length === 0) throw new CliError('usage', 'name files or folders, or give --all');
  const { mounts, outside } = all ? await everythingOf(paths[0]) : await locateAll(paths);
  sayFailures(outside);
  let freedBytes = 0;
  let { failed } = outside;
  for (const { mount, paths: inMount } of mounts) {
    const answer = await inquire(mount, { request: 'evict', paths: inMount });
    sayFailures(answer);
    freedBytes += answer.freedBytes;
    failed += answer.failed;
  }
  console.log(`${describeSize(freedBytes)} of disk space freed`);
  requireNone(failed, 'evicted');
}

/** As `locateAll` answers, for all that a mount has cached. */
async function everythingOf(path: string | undefined) {
  const mount = await selectMount(path);
  return { mounts: [{ mount, paths: undefined }], outside: { failures: [], failed: 0 } };
}

function requireNone(failed: number, what: string): void {
  if (failed > 0) throw new CliError('failure', `not all of it could be ${what}`);
}

function describeCached({ path, sizeBytes, cachedBytes }: CachedFile): string {
  const percent = sizeBytes === 0 ? 100 : Math.floor((100 * cachedBytes) / sizeBytes);
  return `${String(percent).padStart(3)} %  ${describeSize(cachedBytes)} of ${describeSize(sizeBytes)}  ${printable(path)}`;
}
