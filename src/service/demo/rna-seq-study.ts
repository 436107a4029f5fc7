/**
 * A study of twelve transcriptomes, treated and control:
 *
 * ```
 * README.md  sample-sheet.csv
 * reference/   genome.fa .fai .dict  genes.gtf
 * raw/SAMPLE/  SAMPLE_R1.fastq.gz  SAMPLE_R2.fastq.gz
 * aligned/     SAMPLE.bam .bai
 * qc/          SAMPLE.{flagstat,idxstats,stats}.txt
 * counts/      SAMPLE.counts.tsv
 * intervals/   scatter-001.bed … scatter-250.bed
 * ```
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Gene, scatterIntervals } from './genes.ts';
import type { Chromosome } from './genome.ts';
import type { FileDescription } from './project-tree.ts';
import type { ReadPair, Template } from './reads.ts';
import { writeReference } from './reference-files.ts';
import { seededRandom } from './seeded-random.ts';
import { drawSample, writeSample } from './sequenced-sample.ts';

const SAMPLE_COUNT = 12;
const PAIRS_PER_SAMPLE = 3000;
const INTERVAL_FILES = 250;

export interface RnaSample {
  readonly name: string;
  readonly condition: 'control' | 'treated';
  readonly replicate: number;
}

export const RNA_SAMPLES: readonly RnaSample[] = Array.from({ length: SAMPLE_COUNT }, (_, i) => ({
  name: `RNA${String(i + 1).padStart(2, '0')}`,
  condition: i < SAMPLE_COUNT / 2 ? 'control' : 'treated',
  replicate: (i % (SAMPLE_COUNT / 2)) + 1,
}));

/** The study's description of one of its files. */
export function describeRnaFile(path: string): FileDescription {
  const sample = RNA_SAMPLES.find(({ name }) => path.includes(`/${name}`));
  if (sample === undefined) return { metadata: { reference_genome: 'demo-1' }, tags: [topFolderOf(path)] };
  const mate = /_R([12])\.fastq/.exec(path)?.[1];
  const metadata = {
    sample_id: sample.name,
    experimental_strategy: 'RNA-Seq',
    platform: 'Illumina',
    reference_genome: 'demo-1',
    condition: sample.condition,
    replicate: String(sample.replicate),
    ...(mate === undefined ? {} : { paired_end: mate }),
  };
  return { metadata, tags: [topFolderOf(path), sample.condition] };
}

function topFolderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : 'study';
}

/** Writes the study's files into a directory. */
export async function writeRnaSeqStudy(
  cwd: string,
  { genome, genes }: { readonly genome: readonly Chromosome[]; readonly genes: readonly Gene[] },
): Promise<void> {
  await writeReference(cwd, 'reference', { genome, genes });
  await writeTables(cwd);
  await writeIntervals(cwd, genome);
  const transcripts = genes.map((gene) => transcriptOf(gene, genome));
  await mkdir(join(cwd, 'counts'));
  for (const [i, sample] of RNA_SAMPLES.entries()) {
    const random = seededRandom(100 + i);
    // Treatment silences every third gene.
    const expressed = transcripts.filter((_, gene) => sample.condition === 'control' || gene % 3 !== 0);
    const pairs = drawSample(sample.name, expressed, { pairs: PAIRS_PER_SAMPLE, random });
    const directories = {
      fastqDirectory: `raw/${sample.name}`,
      bamDirectory: 'aligned',
      reportDirectory: 'qc',
    };
    await writeSample(cwd, { name: sample.name, ...directories }, { genome, pairs });
    await writeFile(join(cwd, 'counts', `${sample.name}.counts.tsv`), toCounts(genes, pairs));
  }
}

function transcriptOf({ chromosome, exons }: Gene, genome: readonly Chromosome[]): Template {
  const sequence = genome.find(({ name }) => name === chromosome)?.sequence ?? '';
  return { chromosome, exons, sequence: exons.map(({ start, end }) => sequence.slice(start, end)).join('') };
}

/** Read pairs per gene; a pair belongs to the gene in which its first read begins. */
function toCounts(genes: readonly Gene[], pairs: readonly ReadPair[]): string {
  const lines = genes.map(({ id, chromosome, exons }) => {
    const [start, end] = [exons[0]?.start ?? 0, exons.at(-1)?.end ?? 0];
    const count = pairs.filter(
      ({ chromosome: on, first }) => on === chromosome && first.position > start && first.position <= end,
    ).length;
    return `${id}\t${count}`;
  });
  return `gene_id\tcount\n${lines.join('\n')}\n`;
}

async function writeTables(cwd: string): Promise<void> {
  const rows = RNA_SAMPLES.map(({ name, condition, replicate }) =>
    [name, condition, replicate, `raw/${name}/${name}_R1.fastq.gz`, `raw/${name}/${name}_R2.fastq.gz`].join(
      ',',
    ),
  );
  await writeFile(
    join(cwd, 'sample-sheet.csv'),
    `sample,condition,replicate,fastq_1,fastq_2\n${rows.join('\n')}\n`,
  );
  await writeFile(join(cwd, 'README.md'), README);
}

async function writeIntervals(cwd: string, genome: readonly Chromosome[]): Promise<void> {
  await mkdir(join(cwd, 'intervals'));
  const pieces = scatterIntervals(genome, INTERVAL_FILES);
  const names = pieces.map((_, i) => `scatter-${String(i + 1).padStart(3, '0')}.bed`);
  await Promise.all(pieces.map((bed, i) => writeFile(join(cwd, 'intervals', names[i] ?? ''), bed)));
}

const README = `# RNA-seq study

Simulated transcriptomes of ${SAMPLE_COUNT} samples, half of them treated, on a small made-up genome. In the treated ones
every third gene is silent: compare \`counts/\`.

The alignments are the true ones. \`samtools view aligned/RNA01.bam chr20:4000-6000\` reads a region.
`;
