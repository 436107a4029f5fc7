import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { FAMILIES } from './rows/families.ts';
import { SIZES } from './sizes.ts';

export interface BenchOptions {
  readonly rows: readonly string[];
  readonly peers: readonly string[] | undefined;
  readonly latency: readonly number[];
  readonly tls: boolean;
  readonly size: keyof typeof SIZES;
  readonly runs: number | undefined;
  readonly serverDir: string;
  readonly work: string;
  readonly profile: string | undefined;
  /** `results.json` in the work directory, unless another is named. */
  readonly json: string;
  readonly results: string | undefined;
}

type Given = Omit<BenchOptions, 'json'> & { readonly json?: string; readonly quick?: true };

const NAMES = FAMILIES.map(({ name }) => name);

export function parseBenchOptions(argv: readonly string[]): BenchOptions {
  const command = new Command('scripts/bench')
    .description(`Measures svcfs against rclone, s3fs and curl (${availableParallelism()} cores here).`)
    .option('--rows <names>', `of ${NAMES.join(', ')}`, familyNames, NAMES)
    .option('--peers <names>', 'only contestants whose name holds one of these', list)
    .option('--latency <ms,...>', 'added round trips to measure at', numbers, [0, 20])
    .option('--no-tls', 'leave out the lines over TLS')
    .addOption(new Option('--size <size>', 'how much work').choices(Object.keys(SIZES)).default('full'))
    .option('--quick', 'the same as --size quick')
    .option('--runs <n>', 'trials of each contestant', Number)
    .option('--server-dir <dir>', 'where the server keeps its data: 8 times the file size', '/dev/shm')
    .option('--work <dir>', 'mount points, caches, and what is kept between runs', '/var/tmp/svcfs-bench')
    .option('--profile <dir>', 'keep a CPU profile of every process of svcfs and its service')
    .option('--json <file>', 'where everything is written as JSON (results.json among the work)')
    .option('--results <file>', 'write the document')
    .parse([...argv], { from: 'user' });
  const { quick, ...given } = command.opts<Given>();
  const options = { json: join(given.work, 'results.json'), ...given };
  return quick ? { ...options, size: 'quick' } : options;
}

function list(text: string): readonly string[] {
  return text.split(',');
}

function numbers(text: string): readonly number[] {
  return list(text).map((item) => {
    if (!/^\d+$/.test(item)) throw new InvalidArgumentError(`${item} is no number of milliseconds`);
    return Number(item);
  });
}

function familyNames(text: string): readonly string[] {
  for (const name of list(text)) {
    if (!NAMES.includes(name))
      throw new InvalidArgumentError(`no row ${name}; there are ${NAMES.join(', ')}`);
  }
  return list(text);
}
