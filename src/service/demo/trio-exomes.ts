/**
 * The exomes of a family of three:
 *
 * ```
 * README.md  pedigree.ped  sample-sheet.csv
 * reference/   genome.fa .fai .dict  genes.gtf  exome-targets.bed
 * MEMBER/      MEMBER_R1.fastq.gz _R2.fastq.gz  MEMBER.bam .bai  MEMBER.cram .crai
 * MEMBER/qc/   MEMBER.{flagstat,idxstats,stats}.txt
 * variants/    trio.vcf.gz .tbi  per-sample/MEMBER.vcf.gz .tbi
 * shelf/       a public, a data set's and an archived file: what cannot be exported
 * ```
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Gene, toTargets } from './genes.ts';
import type { Chromosome } from './genome.ts';
import { MissingProgramError, runProgram } from './program.ts';
import type { FileDescription } from './project-tree.ts';
import type { Template } from './reads.ts';
import { writeReference } from './reference-files.ts';
import { seededRandom } from './seeded-random.ts';
import { drawSample, writeSample } from './sequenced-sample.ts';
import { haplotype, TRIO, type TrioMember, toVcf, type Variant } from './variants.ts';

const TARGET_PADDING = 150;
const PAIRS_OF: Readonly<Record<TrioMember, number>> = { father: 15_000, mother: 15_000, child: 40_000 };

/** Files of the study with a mark that forbids their export. */
export const SHELF = {
  public: 'shelf/public-targets.bed',
  dataset: 'shelf/population-variants.vcf',
  archived: 'shelf/archived-pilot.bam',
} as const;

/** The study's description of one of its files. */
export function describeTrioFile(path: string): FileDescription {
  const member = TRIO.find((name) => path.includes(`${name}.`) || path.startsWith(`${name}/`));
  const common = { experimental_strategy: 'WXS', reference_genome: 'demo-1', family_id: 'FAM1' };
  if (member === undefined) return { metadata: common, tags: ['trio'] };
  const mate = /_R([12])\.fastq/.exec(path)?.[1];
  const metadata = {
    ...common,
    sample_id: member,
    platform: 'Illumina',
    ...(mate === undefined ? {} : { paired_end: mate }),
  };
  return { metadata, tags: ['trio', member === 'child' ? 'proband' : 'parent'] };
}

export interface TrioInputs {
  readonly genome: readonly Chromosome[];
  readonly genes: readonly Gene[];
  readonly variants: readonly Variant[];
}

/** Writes the study's files into a directory. */
export async function writeTrioExomes(cwd: string, { genome, genes, variants }: TrioInputs): Promise<void> {
  await writeReference(cwd, 'reference', { genome, genes });
  await writeFile(join(cwd, 'reference/exome-targets.bed'), toTargets(genes, TARGET_PADDING));
  await writeTables(cwd);
  for (const [i, member] of TRIO.entries()) {
    const templates = exomeOf(member, { genome, genes, variants });
    const pairs = drawSample(member, templates, { pairs: PAIRS_OF[member], random: seededRandom(200 + i) });
    const directories = { fastqDirectory: member, bamDirectory: member, reportDirectory: `${member}/qc` };
    await writeSample(cwd, { name: member, ...directories }, { genome, pairs });
    await writeCram(cwd, `${member}/${member}`);
  }
  await mkdir(join(cwd, 'variants/per-sample'), { recursive: true });
  await writeIndexedVcf(join(cwd, 'variants/trio.vcf'), toVcf(genome, variants, TRIO));
  for (const member of TRIO) {
    const path = join(cwd, 'variants/per-sample', `${member}.vcf`);
    await writeIndexedVcf(path, toVcf(genome, variants, [member]));
  }
  await writeShelf(cwd, { genome, genes, variants });
}

/** The captured sequences of a person: both copies of every target. */
function exomeOf(member: TrioMember, { genome, genes, variants }: TrioInputs): readonly Template[] {
  return genome.flatMap((chromosome) =>
    ([0, 1] as const).flatMap((copy) => {
      const sequence = haplotype(chromosome, variants, { member, copy });
      return genes
        .filter((gene) => gene.chromosome === chromosome.name)
        .flatMap(({ exons }) => exons)
        .map(({ start, end }) => ({ start: start - TARGET_PADDING, end: end + TARGET_PADDING }))
        .map((target) => ({
          chromosome: chromosome.name,
          exons: [target],
          sequence: sequence.slice(target.start, target.end),
        }));
    }),
  );
}

async function writeCram(cwd: string, stem: string): Promise<void> {
  // Made against the reference it would hold the reference's path on this machine.
  const format = ['-C', '--no-PG', '--output-fmt-option', 'no_ref=1'];
  await runProgram('samtools', ['view', ...format, '-o', `${stem}.cram`, `${stem}.bam`], { cwd });
  await runProgram('samtools', ['index', `${stem}.cram`], { cwd });
}

async function writeTables(cwd: string): Promise<void> {
  const pedigree = [
    ['FAM1', 'father', '0', '0', '1', '1'],
    ['FAM1', 'mother', '0', '0', '2', '1'],
    ['FAM1', 'child', 'father', 'mother', '2', '2'],
  ];
  await writeFile(join(cwd, 'pedigree.ped'), `${pedigree.map((row) => row.join('\t')).join('\n')}\n`);
  const rows = TRIO.map((member) => `${member},FAM1,${member}/${member}.bam`);
  await writeFile(join(cwd, 'sample-sheet.csv'), `sample,family,alignment\n${rows.join('\n')}\n`);
  await writeFile(join(cwd, 'README.md'), README);
}

async function writeShelf(cwd: string, { genome, genes, variants }: TrioInputs): Promise<void> {
  await mkdir(join(cwd, 'shelf'));
  await writeFile(join(cwd, SHELF.public), toTargets(genes));
  await writeFile(join(cwd, SHELF.dataset), toVcf(genome, variants, ['father', 'mother']));
  await copyFile(join(cwd, 'father/father.bam'), join(cwd, SHELF.archived));
}

const README = `# Trio exomes

Simulated exomes of a father, a mother and their child on a small made-up genome. The variants in \`variants/\` are those
the reads were drawn with: a pileup of \`child/child.bam\` shows them.

The files in \`shelf/\` are marked as public, part of a data set, and archived. The platform exports none of them.
\`reference/known-sites.vcf.gz\` is an alias: its content lies on the volume \`demo/reference\`.
`;

/** Writes `path`.gz with its tabix index, or plain `path` on a machine without bgzip and tabix. */
async function writeIndexedVcf(path: string, vcf: string): Promise<void> {
  await writeFile(path, vcf);
  const cwd = dirname(path);
  const name = basename(path);
  try {
    await runProgram('bgzip', ['-f', name], { cwd });
    await runProgram('tabix', ['-p', 'vcf', `${name}.gz`], { cwd });
  } catch (error) {
    if (!(error instanceof MissingProgramError)) throw error;
  }
}
