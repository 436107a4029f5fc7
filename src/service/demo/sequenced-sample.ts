import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { Chromosome } from './genome.ts';
import { runProgram } from './program.ts';
import { drawPair, type ReadPair, type Template, toFastq, toSamLines } from './reads.ts';
import type { SeededRandom } from './seeded-random.ts';

const gzip = promisify(gzipWithCallback);

/** Paths are relative to the directory that holds the study. */
export interface SampleFiles {
  readonly name: string;
  readonly fastqDirectory: string;
  readonly bamDirectory: string;
  readonly reportDirectory: string;
}

/** Reads of one sample, drawn evenly from its templates. */
export function drawSample(
  name: string,
  templates: readonly Template[],
  { pairs, random }: { readonly pairs: number; readonly random: SeededRandom },
): readonly ReadPair[] {
  const drawn: ReadPair[] = [];
  while (drawn.length < pairs) {
    const template = templates[random.below(templates.length)];
    const pair = template && drawPair(`${name}:1:${drawn.length + 1}`, template, random);
    if (pair) drawn.push(pair);
  }
  return drawn;
}

/** Writes `NAME_R1.fastq.gz`, `NAME_R2.fastq.gz`, the sorted `NAME.bam` with its index, and samtools' reports on it. */
export async function writeSample(
  cwd: string,
  files: SampleFiles,
  { genome, pairs }: { readonly genome: readonly Chromosome[]; readonly pairs: readonly ReadPair[] },
): Promise<void> {
  const { name, fastqDirectory, bamDirectory, reportDirectory } = files;
  for (const directory of [fastqDirectory, bamDirectory, reportDirectory]) {
    await mkdir(join(cwd, directory), { recursive: true });
  }
  await writeFastq(join(cwd, fastqDirectory, `${name}_R1.fastq.gz`), pairs, 'first');
  await writeFastq(join(cwd, fastqDirectory, `${name}_R2.fastq.gz`), pairs, 'second');
  const bam = join(bamDirectory, `${name}.bam`);
  await runProgram('samtools', ['sort', '--no-PG', '-O', 'bam', '-o', bam, '-'], {
    cwd,
    input: toSam(name, genome, pairs),
  });
  await runProgram('samtools', ['index', bam], { cwd });
  for (const report of ['flagstat', 'idxstats', 'stats']) {
    await runProgram('samtools', [report, bam], {
      cwd,
      outputFile: join(cwd, reportDirectory, `${name}.${report}.txt`),
    });
  }
}

async function writeFastq(path: string, pairs: readonly ReadPair[], mate: 'first' | 'second'): Promise<void> {
  await writeFile(path, await gzip(pairs.map((pair) => toFastq(pair.name, pair[mate])).join('')));
}

function toSam(sample: string, genome: readonly Chromosome[], pairs: readonly ReadPair[]): string {
  const header = [
    '@HD\tVN:1.6\tSO:unsorted',
    ...genome.map(({ name, sequence }) => `@SQ\tSN:${name}\tLN:${sequence.length}\tM5:${md5(sequence)}`),
    `@RG\tID:${sample}\tSM:${sample}\tPL:ILLUMINA`,
  ];
  return `${header.join('\n')}\n${pairs.map((pair) => toSamLines(pair, sample)).join('')}`;
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
