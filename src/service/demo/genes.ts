import type { Chromosome } from './genome.ts';

/** Half-open, zero-based, as in BED. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

export interface Gene {
  readonly id: string;
  readonly chromosome: string;
  readonly exons: readonly Interval[];
}

const GENE_PITCH = 8000;
const EXON_LENGTH = 300;
const INTRON_LENGTH = 700;
const EXONS_PER_GENE = 3;

/** Genes of three exons at even distances over the larger chromosomes. */
export function makeGenes(genome: readonly Chromosome[]): readonly Gene[] {
  const genes: Gene[] = [];
  for (const { name, sequence } of genome) {
    for (let start = GENE_PITCH / 2; start + GENE_PITCH / 2 < sequence.length; start += GENE_PITCH) {
      const exons = Array.from({ length: EXONS_PER_GENE }, (_, i) => {
        const exonStart = start + i * (EXON_LENGTH + INTRON_LENGTH);
        return { start: exonStart, end: exonStart + EXON_LENGTH };
      });
      genes.push({ id: `DEMOG${String(genes.length + 1).padStart(5, '0')}`, chromosome: name, exons });
    }
  }
  return genes;
}

/** The exons as GTF; its coordinates are one-based and closed. */
export function toGtf(genes: readonly Gene[]): string {
  const lines = genes.flatMap(({ id, chromosome, exons }) =>
    exons.map(({ start, end }, i) => {
      const attributes = `gene_id "${id}"; transcript_id "${id}.1"; exon_number "${i + 1}";`;
      return [chromosome, 'demo', 'exon', start + 1, end, '.', '+', '.', attributes].join('\t');
    }),
  );
  return `${lines.join('\n')}\n`;
}

/** The exons as BED, widened at both ends as capture targets are. */
export function toTargets(genes: readonly Gene[], paddingBases = 0): string {
  const lines = genes.flatMap(({ id, chromosome, exons }) =>
    exons.map(({ start, end }, i) =>
      [chromosome, start - paddingBases, end + paddingBases, `${id}_exon${i + 1}`].join('\t'),
    ),
  );
  return `${lines.join('\n')}\n`;
}

/** The genome cut into the given number of equal pieces, one BED file each, as scatter-gather pipelines want it. */
export function scatterIntervals(genome: readonly Chromosome[], pieces: number): readonly string[] {
  const total = genome.reduce((sum, { sequence }) => sum + sequence.length, 0);
  const ends = Array.from({ length: pieces }, (_, i) => Math.round(((i + 1) * total) / pieces));
  return ends.map((end, i) => toPiece(genome, { start: i === 0 ? 0 : (ends[i - 1] ?? 0), end }));
}

/** The part of the genome, chromosomes laid end to end, that an interval covers. */
function toPiece(genome: readonly Chromosome[], interval: Interval): string {
  let offset = 0;
  let bed = '';
  for (const { name, sequence } of genome) {
    const start = Math.max(interval.start - offset, 0);
    const end = Math.min(interval.end - offset, sequence.length);
    if (start < end) bed += `${name}\t${start}\t${end}\n`;
    offset += sequence.length;
  }
  return bed;
}
