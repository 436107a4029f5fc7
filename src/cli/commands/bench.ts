import type { Command } from 'commander';
import { wrapped } from '../describe/help-format.ts';

const DETAILS = `
Measures what this line and this service give through a mount: writing and reading one large file, small reads all over it, many
small files, and a listing. Beside it, curl reads the same file by its link. The last sentence says what limits reading.

It says first what it will write and how many requests it may take. What it wrote is removed for good, also on Ctrl-C. On
a volume, and in a mount with --read-only, --no-delete or --trash, it reads files that are there, and writes nothing.

Other programs that use the line, the machine or the mount meanwhile make the figures worse.

Examples:
  svcfs bench ~/svc/projects/me/scratch
  svcfs bench --json ~/svc/volumes/me/results/2026`;

export function addBenchCommand(program: Command): void {
  program
    .command('bench')
    .summary('measure what the line and the service give')
    .description('Measure what this line and this service give, beside curl.')
    .argument('[path]', 'a folder of a project in a mount, or a folder or file of a volume', '.')
    .option('--json', 'print the figures as JSON', false)
    .addHelpText('after', wrapped(DETAILS))
    .action(async (path: string, { json }: { readonly json: boolean }) => {
      const [{ bench }, { describeMeasured }, { verdictOf }, { interruptible }] = await Promise.all([
        import('../bench/bench.ts'),
        import('../bench/describe-measured.ts'),
        import('../bench/verdict.ts'),
        import('../platform/interruptible.ts'),
      ]);
      const measured = await bench({ path, signal: interruptible(), say: (line) => console.error(line) });
      if (json) console.log(JSON.stringify({ ...measured, verdict: verdictOf(measured) }, null, 2));
      else for (const line of describeMeasured(measured)) console.log(line);
    });
}
