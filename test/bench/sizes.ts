const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** How much work a run does. */
export interface Sizes {
  /** Of each of four files. */
  readonly bigBytes: number;
  /** Of a written file, and of four written at once together. */
  readonly writeBytes: number;
  /** Of a listed folder. */
  readonly entries: number;
  /** Of the folder that is listed for its size. */
  readonly crowd: number;
  /** Folders of a tree, and folders in each of these. */
  readonly branches: number;
  /** Of a folder that is listed, then read. */
  readonly listedFiles: number;
  /** About 220 bytes each. */
  readonly bamReads: number;
  readonly smallFiles: number;
  /** Of those that make few in a second. */
  readonly smallFilesOfSlow: number;
  /** Small ones that are left to be uploaded. */
  readonly writtenBack: number;
  /** Small ones that are uploaded with a rate limit: more than it has requests for. */
  readonly limitedFiles: number;
  /** Of each thread: fewer than a hundred have no 99th percentile. */
  readonly randomReads: number;
  readonly runs: number;
}

export const SIZES = {
  full: {
    bigBytes: GIB,
    writeBytes: GIB,
    entries: 10_000,
    crowd: 100_000,
    branches: 20,
    listedFiles: 1000,
    bamReads: 5_000_000,
    smallFiles: 1000,
    smallFilesOfSlow: 1000,
    writtenBack: 1000,
    limitedFiles: 280,
    randomReads: 200,
    runs: 3,
  },
  moderate: {
    bigBytes: GIB,
    writeBytes: GIB,
    entries: 10_000,
    crowd: 100_000,
    branches: 20,
    listedFiles: 1000,
    bamReads: 5_000_000,
    smallFiles: 1000,
    smallFilesOfSlow: 80,
    writtenBack: 1000,
    limitedFiles: 280,
    randomReads: 100,
    runs: 3,
  },
  quick: {
    bigBytes: 64 * MIB,
    writeBytes: 64 * MIB,
    entries: 1000,
    crowd: 5000,
    branches: 5,
    listedFiles: 100,
    bamReads: 200_000,
    smallFiles: 40,
    smallFilesOfSlow: 20,
    writtenBack: 50,
    limitedFiles: 160,
    randomReads: 20,
    runs: 1,
  },
} as const satisfies Record<string, Sizes>;
