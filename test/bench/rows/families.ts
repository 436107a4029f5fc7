import type { Family } from '../stage.ts';
import { bamRegions } from './bam-regions.ts';
import { firstByte } from './first-byte.ts';
import { kernelNullFs } from './kernel-null-fs.ts';
import { limitedWrite } from './limited-write.ts';
import { listing } from './listing.ts';
import { parallelRead } from './parallel-read.ts';
import { randomRead } from './random-read.ts';
import { sequentialRead } from './sequential-read.ts';
import { smallFiles } from './small-files.ts';
import { statStorm } from './stat-storm.ts';
import { write } from './write.ts';

export const FAMILIES: readonly Family[] = [
  sequentialRead,
  parallelRead,
  randomRead,
  firstByte,
  bamRegions,
  write,
  limitedWrite,
  smallFiles,
  listing,
  statStorm,
  kernelNullFs,
];
