import type { Family } from '../stage.ts';
import { bamRegions } from './bam-regions.ts';
import { coldLookup } from './cold-lookup.ts';
import { crowd } from './crowd.ts';
import { diskCache } from './disk-cache.ts';
import { firstByte } from './first-byte.ts';
import { foundMemory } from './found-memory.ts';
import { kernelNullFs } from './kernel-null-fs.ts';
import { laboratoryLine } from './laboratory-line.ts';
import { limitedWrite } from './limited-write.ts';
import { listedFiles } from './listed-files.ts';
import { listing } from './listing.ts';
import { memoryBudget } from './memory-budget.ts';
import { parallelRead } from './parallel-read.ts';
import { randomRead } from './random-read.ts';
import { sequentialRead } from './sequential-read.ts';
import { smallFiles } from './small-files.ts';
import { statStorm } from './stat-storm.ts';
import { walk } from './walk.ts';
import { write } from './write.ts';
import { writeBack } from './write-back.ts';

export const FAMILIES: readonly Family[] = [
  foundMemory,
  sequentialRead,
  parallelRead,
  randomRead,
  memoryBudget,
  diskCache,
  firstByte,
  bamRegions,
  write,
  laboratoryLine,
  limitedWrite,
  smallFiles,
  writeBack,
  listedFiles,
  coldLookup,
  listing,
  walk,
  crowd,
  statStorm,
  kernelNullFs,
];
