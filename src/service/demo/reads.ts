/**
 * Simulated paired-end reads, with the alignment each one truly has: no aligner is needed to make a BAM that is right.
 *
 * A template is what reads are drawn from: the exons of a transcript laid end to end, or a captured stretch of the
 * genome (one exon). A read that spans a joint gets an `N` in its CIGAR, as from a spliced aligner.
 */
import type { Interval } from './genes.ts';
import type { SeededRandom } from './seeded-random.ts';

export const READ_LENGTH = 100;
const FRAGMENT_LENGTHS = { shortest: 180, spread: 120 };
const ERROR_RATE = 0.002;
/** The four quality values that current sequencers report, from the end of a read to its beginning. */
const QUALITIES = ['#', ',', ':', 'F'] as const;

export interface Template {
  readonly chromosome: string;
  readonly exons: readonly Interval[];
  /** The bases of the exons laid end to end. */
  readonly sequence: string;
}

export interface AlignedRead {
  /** One-based, as in SAM. */
  readonly position: number;
  readonly cigar: string;
  /** As on the forward strand of the reference. */
  readonly bases: string;
  readonly quality: string;
  readonly reverse: boolean;
}

export interface ReadPair {
  readonly name: string;
  readonly chromosome: string;
  readonly first: AlignedRead;
  readonly second: AlignedRead;
  readonly fragmentBases: number;
}

/** Draws a pair from a template; undefined when the template is too short for the fragment drawn. */
export function drawPair(name: string, template: Template, random: SeededRandom): ReadPair | undefined {
  const length = FRAGMENT_LENGTHS.shortest + random.below(FRAGMENT_LENGTHS.spread);
  const room = template.sequence.length - length;
  if (room < 0) return undefined;
  const start = random.below(room + 1);
  const left = alignedRead(template, start, { reverse: false, random });
  const right = alignedRead(template, start + length - READ_LENGTH, { reverse: true, random });
  const pair = { name, chromosome: template.chromosome, fragmentBases: endOf(right) - left.position };
  return random.chance(0.5)
    ? { ...pair, first: left, second: right }
    : { ...pair, first: right, second: left };
}

/** Both lines of a pair in a SAM file (SAM format specification, section 1.4). */
export function toSamLines(pair: ReadPair, readGroup: string): string {
  return [
    samLine(pair, pair.first, pair.second, readGroup),
    samLine(pair, pair.second, pair.first, readGroup),
  ].join('');
}

function samLine(pair: ReadPair, read: AlignedRead, mate: AlignedRead, readGroup: string): string {
  const flags =
    0x1 | 0x2 | (read.reverse ? 0x10 : 0) | (mate.reverse ? 0x20 : 0) | (read === pair.first ? 0x40 : 0x80);
  const templateLength = read.reverse ? -pair.fragmentBases : pair.fragmentBases;
  const mandatory = [pair.name, flags, pair.chromosome, read.position, 60, read.cigar, '=', mate.position];
  return `${[...mandatory, templateLength, read.bases, read.quality, `RG:Z:${readGroup}`].join('\t')}\n`;
}

function alignedRead(
  template: Template,
  start: number,
  { reverse, random }: { readonly reverse: boolean; readonly random: SeededRandom },
): AlignedRead {
  const { position, cigar } = place(template.exons, start);
  const bases = withErrors(template.sequence.slice(start, start + READ_LENGTH), random);
  const asSequenced = drawQuality(random);
  const quality = reverse ? [...asSequenced].reverse().join('') : asSequenced;
  return { position, cigar, bases, quality, reverse };
}

/** Where `READ_LENGTH` bases of the template from `start` on lie on the reference. */
function place(exons: readonly Interval[], start: number): { position: number; cigar: string } {
  let skip = start;
  let left = READ_LENGTH;
  let position = 0;
  let cigar = '';
  let previousEnd = 0;
  for (const exon of exons) {
    const length = exon.end - exon.start;
    if (skip < length && left > 0) {
      const used = Math.min(length - skip, left);
      if (cigar === '') position = exon.start + skip + 1;
      else cigar += `${exon.start - previousEnd}N`;
      cigar += `${used}M`;
      left -= used;
    }
    skip = Math.max(skip - length, 0);
    previousEnd = exon.end;
  }
  return { position, cigar };
}

/** The position after the last base of a read on the reference. */
function endOf(read: AlignedRead): number {
  const lengths = read.cigar.match(/\d+/g) ?? [];
  return lengths.reduce((end, length) => end + Number(length), read.position);
}

function withErrors(bases: string, random: SeededRandom): string {
  return random.chance(READ_LENGTH * ERROR_RATE) ? replaceBase(bases, random.below(bases.length)) : bases;
}

function replaceBase(bases: string, index: number): string {
  const wrong = { A: 'C', C: 'A', G: 'T', T: 'G' }[bases[index] ?? 'A'] ?? 'N';
  return bases.slice(0, index) + wrong + bases.slice(index + 1);
}

/** High at first and falling towards the end, as sequencers give it. */
function drawQuality(random: SeededRandom): string {
  const goodUntil = 60 + random.below(41);
  const tail = QUALITIES[1 + random.below(2)] ?? ',';
  return `${'F'.repeat(goodUntil)}${tail.repeat(READ_LENGTH - goodUntil)}`;
}

const COMPLEMENT: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A', N: 'N' };

/** One record of a FASTQ file: the read as it left the sequencer. */
export function toFastq(name: string, read: AlignedRead): string {
  if (!read.reverse) return `@${name}\n${read.bases}\n+\n${read.quality}\n`;
  const bases = [...read.bases]
    .reverse()
    .map((base) => COMPLEMENT[base] ?? 'N')
    .join('');
  return `@${name}\n${bases}\n+\n${[...read.quality].reverse().join('')}\n`;
}
