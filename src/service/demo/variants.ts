import type { Gene } from './genes.ts';
import type { Chromosome } from './genome.ts';
import { seededRandom } from './seeded-random.ts';

export const TRIO = ['father', 'mother', 'child'] as const;
export type TrioMember = (typeof TRIO)[number];

/** On each of a person's two copies of the chromosome: is the alternative base there? */
type Genotype = readonly [boolean, boolean];

export interface Variant {
  readonly chromosome: string;
  /** Zero-based. */
  readonly position: number;
  readonly reference: string;
  readonly alternative: string;
  readonly genotypes: Readonly<Record<TrioMember, Genotype>>;
}

/** Single-base variants in exons; the child has one copy of each parent's. */
export function makeVariants(genome: readonly Chromosome[], genes: readonly Gene[]): readonly Variant[] {
  const random = seededRandom(21);
  const sequences = new Map(genome.map(({ name, sequence }) => [name, sequence]));
  const coin = (): boolean => random.chance(0.5);
  const variants: Variant[] = [];
  for (const { chromosome, exons } of genes) {
    for (const exon of exons) {
      const position = exon.start + random.below(exon.end - exon.start);
      const reference = sequences.get(chromosome)?.[position] ?? 'N';
      const others = [...'ACGT'].filter((base) => base !== reference);
      const father: Genotype = [coin(), coin()];
      const mother: Genotype = [coin(), coin()];
      const child: Genotype = [father[random.below(2)] ?? false, mother[random.below(2)] ?? false];
      if (![father, mother].flat().includes(true)) continue;
      const alternative = others[random.below(others.length)] ?? 'N';
      variants.push({ chromosome, position, reference, alternative, genotypes: { father, mother, child } });
    }
  }
  return variants;
}

/** One of a person's two copies of a chromosome (0 or 1). */
export function haplotype(
  { name, sequence }: Chromosome,
  variants: readonly Variant[],
  { member, copy }: { readonly member: TrioMember; readonly copy: 0 | 1 },
): string {
  const bases = [...sequence];
  for (const { chromosome, position, alternative, genotypes } of variants) {
    if (chromosome === name && genotypes[member][copy]) bases[position] = alternative;
  }
  return bases.join('');
}

/** The variants of some members as VCF 4.2; positions where none of them differs from the reference are left out. */
export function toVcf(
  genome: readonly Chromosome[],
  variants: readonly Variant[],
  members: readonly TrioMember[],
): string {
  const header = [
    '##fileformat=VCFv4.2',
    '##source=svcfs-demo',
    ...genome.map(({ name, sequence }) => `##contig=<ID=${name},length=${sequence.length}>`),
    '##INFO=<ID=AC,Number=A,Type=Integer,Description="Allele count">',
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
    ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO', 'FORMAT', ...members].join('\t'),
  ];
  const lines = variants.flatMap((variant) => {
    const genotypes = members.map((member) => variant.genotypes[member]);
    const count = genotypes.flat().filter(Boolean).length;
    if (count === 0) return [];
    const calls = genotypes.map((genotype) => genotype.map(Number).join('|'));
    const { chromosome, position, reference, alternative } = variant;
    return [
      [chromosome, position + 1, '.', reference, alternative, 60, 'PASS', `AC=${count}`, 'GT', ...calls].join(
        '\t',
      ),
    ];
  });
  return `${[...header, ...lines].join('\n')}\n`;
}
