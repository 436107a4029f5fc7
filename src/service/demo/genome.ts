import { type SeededRandom, seededRandom } from './seeded-random.ts';

export interface Chromosome {
  readonly name: string;
  readonly sequence: string;
}

const LENGTHS = { chr20: 400_000, chr21: 250_000, chrM: 16_569 } as const;
const LINE_LENGTH = 60;

/** A small reference genome with the base composition of a mammal's (41 % G and C). */
export function makeGenome(): readonly Chromosome[] {
  const random = seededRandom(20);
  return Object.entries(LENGTHS).map(([name, length]) => ({ name, sequence: makeSequence(random, length) }));
}

/** The genome as FASTA. */
export function toFasta(genome: readonly Chromosome[]): string {
  const lines = genome.flatMap(({ name, sequence }) => [
    `>${name}`,
    ...(sequence.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? []),
  ]);
  return `${lines.join('\n')}\n`;
}

function makeSequence(random: SeededRandom, length: number): string {
  const bases = Buffer.alloc(length);
  for (let i = 0; i < length; i++) {
    const pair = random.chance(0.41) ? 'GC' : 'AT';
    bases[i] = pair.charCodeAt(random.below(2));
  }
  return bases.toString('latin1');
}
