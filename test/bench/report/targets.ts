/** The promises of the project, as ratios within one run. */
import { FAR, FAR_MS, FAR_TLS, LABORATORY, type Line, NEAR, NEAR_TLS } from '../line.ts';
import { rcloneNames } from '../peers/rclone.ts';
import { MEMORY_MIB, WITH_FACTS } from '../peers/svcfs.ts';
import { BAM_REGIONS, ON_DISK } from '../rows/bam-regions.ts';
import { COLD_LOOKUP } from '../rows/cold-lookup.ts';
import { CROWD_MEMORY } from '../rows/crowd.ts';
import { BARE, FOLDER_KNOWN, NAME_KNOWN } from '../rows/first-byte.ts';
import {
  C_ONE_THREAD,
  C_THREADS,
  FUSE_NATIVE,
  NULL_READ,
  NULL_REQUESTS_8,
  NULL_REQUESTS_ALONE,
  NULL_WRITE,
} from '../rows/kernel-null-fs.ts';
import { READ_OVER_LINE, THE_LINE, WRITTEN_OVER_LINE } from '../rows/laboratory-line.ts';
import { LISTED_FILES_READ } from '../rows/listed-files.ts';
import { listingRow } from '../rows/listing.ts';
import { BUDGET_FULL_AND_STREAM, BUDGET_MIB } from '../rows/memory-budget.ts';
import { FOUR_AT_ONCE } from '../rows/parallel-read.ts';
import { RANDOM_4_KIB_P50 } from '../rows/random-read.ts';
import { COLD } from '../rows/sequential-read.ts';
import { INLINE, smallFileRow } from '../rows/small-files.ts';
import { STAT_STORM } from '../rows/stat-storm.ts';
import { UNTIL_STORED } from '../rows/write.ts';
import { WRITE_BACK, WRITTEN_BACK } from '../rows/write-back.ts';
import type { Result } from './results.ts';
import {
  against,
  apiRequestsOf,
  cpuPerGib,
  highestOf,
  inRoundTrips,
  type Lookup,
  ours,
  type Target,
  US,
} from './target.ts';

/** Whichever of its protocols is faster in the row. */
const OFF = rcloneNames('off');
const FULL = rcloneNames('full');
const RCLONE = rcloneNames('off', 'full');
const S3FS = 's3fs';
const CURLS = 'curl × 8';
const FOUR_CURLS = 'curl, 4 × 4';
const CURL_PUTS = 'curl -T × 8';
const C = [C_THREADS, C_ONE_THREAD] as const;
const CREATED = smallFileRow('create', 8);
/** Beside what the memory budget allows; of the 300 bytes a node that a mount may take on top, none is granted. */
const MEMORY_MIB_BESIDE = 150;

export const TARGETS: readonly Target[] = [
  ...targetsOfReads('cold sequential read, 20 ms', COLD, FAR, { curls: [0.95, CURLS], rclone: 5 }),
  ...targetsOfReads('cold sequential read, 0 ms', COLD, NEAR, { curls: [0.65, 'curl', CURLS], rclone: 2.5 }),
  ...targetsOfReads('4 files at once, 20 ms', FOUR_AT_ONCE, FAR, { curls: [0.85, FOUR_CURLS], rclone: 1.9 }),
  ...targetsOfReads('cold sequential read over TLS, 20 ms', COLD, FAR_TLS, {
    curls: [0.85, CURLS],
    rclone: 2.8,
    s3fs: 2,
  }),
  ...targetsOfReads('cold sequential read over TLS, 0 ms', COLD, NEAR_TLS, {
    curls: [0.65, CURLS],
    rclone: 2,
  }),
  ...targetsOfReads('4 files at once over TLS, 20 ms', FOUR_AT_ONCE, FAR_TLS, {
    curls: [0.7, FOUR_CURLS],
    rclone: 1.8,
  }),
  {
    target: 'write, 20 ms, of 8 parallel curls',
    atLeast: 0.78,
    value: against(UNTIL_STORED, FAR, [CURL_PUTS]),
  },
  { target: 'write, 20 ms, of rclone (off)', atLeast: 2.2, value: against(UNTIL_STORED, FAR, OFF) },
  {
    target: 'write over TLS, 20 ms, of 8 parallel curls',
    atLeast: 0.85,
    value: against(UNTIL_STORED, FAR_TLS, [CURL_PUTS]),
  },
  {
    target: 'write over TLS, 20 ms, of rclone (off)',
    atLeast: 1.5,
    value: against(UNTIL_STORED, FAR_TLS, OFF),
  },
  {
    target: 'read over 200 Mbit/s at 80 ms, of the line',
    atLeast: 0.95,
    value: against(READ_OVER_LINE, LABORATORY, [THE_LINE]),
  },
  {
    target: 'write over 200 Mbit/s at 80 ms, of the line',
    atLeast: 0.95,
    value: against(WRITTEN_OVER_LINE, LABORATORY, [THE_LINE]),
  },
  {
    target: 'first byte, name known, of the calls alone',
    atMost: 1.05,
    value: against(NAME_KNOWN, FAR, [BARE]),
  },
  {
    target: 'first byte, folder known, of the calls alone',
    atMost: 1.05,
    value: against(FOLDER_KNOWN, FAR, [BARE]),
  },
  { target: 'random 4 KiB, p50, round trips', atMost: 1.3, value: ours(RANDOM_4_KIB_P50, FAR, inRoundTrips) },
  {
    target: '50 BAM regions, 20 ms, of its requests one after the other',
    atMost: 1.15,
    value: ours(BAM_REGIONS, FAR, inItsRequests),
  },
  { target: '50 BAM regions, bytes fetched of bytes used', atMost: 2, value: amplification },
  {
    target: 'small files, 8 threads, 20 ms, of four round trips each',
    atMost: 1.2,
    value: ours(CREATED, FAR, ({ median }) => inTurns(4) / median),
  },
  {
    target: 'the same with upload_inline, of one round trip each',
    atMost: 1.35,
    value: ours(CREATED, FAR, ({ median }) => inTurns(1) / median, INLINE),
  },
  {
    target: '1,000 small files with write-back, 8 threads, 20 ms, of rclone (full)',
    atLeast: 0.8,
    value: against(WRITTEN_BACK, FAR, FULL, WRITE_BACK),
  },
  {
    target: 'ls -l cold, 20 ms, of rclone',
    atMost: 0.4,
    value: against(listingRow('ls -l', 'cold'), FAR, RCLONE),
  },
  {
    target: 'ls -l cold, API requests',
    atMost: 100,
    value: ours(listingRow('ls -l', 'cold'), FAR, apiRequestsOf),
  },
  {
    target: 'ls -l warm, 20 ms, of the fastest peer',
    atMost: 1.1,
    value: against(listingRow('ls -l', 'warm'), FAR, [...RCLONE, S3FS]),
  },
  {
    target: 'ls -l warm, API requests',
    atMost: 0,
    value: ours(listingRow('ls -l', 'warm'), FAR, apiRequestsOf),
  },
  { target: 'one cold lookup, API requests', atMost: 1, value: ours(COLD_LOOKUP, FAR, apiRequestsOf) },
  {
    target: 'reading 1,000 files of a listed folder, API requests',
    atMost: 1012,
    value: ours(LISTED_FILES_READ, FAR, apiRequestsOf),
  },
  {
    target: 'the same with download_info_file',
    atMost: 1012,
    value: ours(LISTED_FILES_READ, FAR, apiRequestsOf, WITH_FACTS),
  },
  {
    target: 'memory of a folder of 100,000, MiB',
    atMost: 100,
    value: (table) => {
      const both = [NEAR, FAR].flatMap((line) => table(CROWD_MEMORY, line, US) ?? []);
      return both.length === 0 ? undefined : Math.max(...both.map(highestOf));
    },
  },
  {
    target: 'stat storm, of the fastest peer',
    atLeast: 0.9,
    value: against(STAT_STORM, FAR, [...RCLONE, S3FS]),
  },
  { target: 'null file system, requests/s, of C', atLeast: 0.8, value: against(NULL_REQUESTS_8, NEAR, C) },
  { target: 'null file system, CPU per GiB read, of C', atMost: 1.2, value: cpuAgainstC(NULL_READ) },
  { target: 'null file system, CPU per GiB written, of C', atMost: 1.35, value: cpuAgainstC(NULL_WRITE) },
  {
    target: 'null file system, requests/s on one processor, of fuse-native',
    atLeast: 2.6,
    value: against(NULL_REQUESTS_ALONE, NEAR, [FUSE_NATIVE]),
  },
  {
    target: 'null file system, read, of fuse-native',
    atLeast: 2.2,
    value: against(NULL_READ, NEAR, [FUSE_NATIVE]),
  },
  {
    target: 'null file system, write, of fuse-native',
    atLeast: 2.2,
    value: against(NULL_WRITE, NEAR, [FUSE_NATIVE]),
  },
  { target: 'CPU s per GiB read, 0 ms', atMost: 1, value: ours(COLD, NEAR, cpuPerGib) },
  { target: 'CPU s per GiB written, 0 ms', atMost: 1.35, value: ours(UNTIL_STORED, NEAR, cpuPerGib) },
  { target: 'CPU s per GiB read over TLS, 0 ms', atMost: 1.2, value: ours(COLD, NEAR_TLS, cpuPerGib) },
  {
    target: 'CPU s per GiB written over TLS, 0 ms',
    atMost: 1.5,
    value: ours(UNTIL_STORED, NEAR_TLS, cpuPerGib),
  },
  {
    target: 'peak RSS of any row, MiB',
    atMost: MEMORY_MIB + MEMORY_MIB_BESIDE,
    value: (_table, results) => {
      const peaks = results.flatMap(({ peer, peakRssMib }) =>
        peer.startsWith(US) ? (peakRssMib ?? []) : [],
      );
      return peaks.length === 0 ? undefined : Math.max(...peaks);
    },
  },
  {
    target: `peak RSS with a full memory budget of ${BUDGET_MIB} MiB, MiB`,
    atMost: BUDGET_MIB + MEMORY_MIB_BESIDE,
    value: ours(BUDGET_FULL_AND_STREAM, NEAR, highestOf),
  },
];

interface ReadTargets {
  /** The ratio, and of whom the fastest counts. */
  readonly curls: readonly [number, ...string[]];
  readonly rclone: number;
  readonly s3fs?: number;
}

function targetsOfReads(
  name: string,
  row: string,
  line: Line,
  { curls: [ofCurls, ...curls], rclone, s3fs }: ReadTargets,
): readonly Target[] {
  return [
    { target: `${name}, of the curls`, atLeast: ofCurls, value: against(row, line, curls) },
    { target: `${name}, of rclone`, atLeast: rclone, value: against(row, line, RCLONE) },
    ...(s3fs === undefined
      ? []
      : [{ target: `${name}, of s3fs`, atLeast: s3fs, value: against(row, line, [S3FS]) }]),
  ];
}

/** Files a second of eight threads where each takes so many round trips. */
function inTurns(roundTrips: number): number {
  return (8 * 1000) / (roundTrips * FAR_MS);
}

/** Each request waits for the one before, but for few: samtools reads one region after the other. */
function inItsRequests({ median, apiRequests = 0, dataRequests = 0 }: Result): number {
  return (median * 1000) / ((apiRequests + dataRequests) * FAR_MS);
}

function amplification(table: Lookup): number | undefined {
  const fetched = table(BAM_REGIONS, FAR, US)?.sentBytes;
  const used = table(BAM_REGIONS, FAR, ON_DISK)?.sentBytes;
  return fetched === undefined || used === undefined ? undefined : fetched / used;
}

function cpuAgainstC(row: string): Target['value'] {
  return (table) => {
    const cpuOf = (peer: string): number | undefined => table(row, NEAR, peer)?.cpuSecondsPerGib;
    const ourCpu = cpuOf(US);
    const theirs = C.flatMap((peer) => cpuOf(peer) ?? []);
    return ourCpu === undefined || theirs.length < C.length ? undefined : ourCpu / Math.min(...theirs);
  };
}
