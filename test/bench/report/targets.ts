/** The promises of the project, as ratios within one run. */
import { rcloneNames } from '../peers/rclone.ts';
import { MEMORY_MIB, WITH_FACTS } from '../peers/svcfs.ts';
import { BAM_REGIONS, ON_DISK } from '../rows/bam-regions.ts';
import { COLD_LOOKUP } from '../rows/cold-lookup.ts';
import { CROWD_MEMORY } from '../rows/crowd.ts';
import { FOLDER_KNOWN, NAME_KNOWN } from '../rows/first-byte.ts';
import {
  C_ONE_THREAD,
  C_THREADS,
  FUSE_NATIVE,
  NULL_READ,
  NULL_REQUESTS_8,
  NULL_REQUESTS_ALONE,
  NULL_WRITE,
} from '../rows/kernel-null-fs.ts';
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
import { FAR_MS } from '../stage.ts';
import {
  against,
  apiRequestsOf,
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
const C = [C_THREADS, C_ONE_THREAD] as const;
const CREATED = smallFileRow('create', 8);
/** Beside what the memory budget allows; of the 300 bytes a node that a mount may take on top, none is granted. */
const MEMORY_MIB_BESIDE = 150;

export const TARGETS: readonly Target[] = [
  {
    target: 'cold sequential read, 20 ms, of 8 parallel curls',
    atLeast: 0.9,
    value: against(COLD, 20, [CURLS]),
  },
  { target: 'cold sequential read, 20 ms, of rclone', atLeast: 3, value: against(COLD, 20, RCLONE) },
  { target: 'cold sequential read, 20 ms, of s3fs', atLeast: 3, value: against(COLD, 20, [S3FS]) },
  {
    target: 'cold sequential read, 0 ms, of the best curl',
    atLeast: 0.6,
    value: against(COLD, 0, ['curl', CURLS]),
  },
  { target: 'cold sequential read, 0 ms, of rclone', atLeast: 3, value: against(COLD, 0, RCLONE) },
  {
    target: '4 files at once, 20 ms, of 4 × 4 curls',
    atLeast: 0.9,
    value: against(FOUR_AT_ONCE, 20, ['curl, 4 × 4']),
  },
  {
    target: '4 files at once, 20 ms, of rclone',
    atLeast: 2.5,
    value: against(FOUR_AT_ONCE, 20, RCLONE),
  },
  { target: 'first byte, name known, round trips', atMost: 2.2, value: ours(NAME_KNOWN, 20, inRoundTrips) },
  {
    target: 'first byte, folder known, round trips',
    atMost: 3.2,
    value: ours(FOLDER_KNOWN, 20, inRoundTrips),
  },
  { target: 'random 4 KiB, p50, round trips', atMost: 1.3, value: ours(RANDOM_4_KIB_P50, 20, inRoundTrips) },
  { target: '50 BAM regions, 20 ms, of rclone', atMost: 0.5, value: against(BAM_REGIONS, 20, RCLONE) },
  { target: '50 BAM regions, bytes fetched of bytes used', atMost: 2, value: amplification },
  {
    target: 'write, 20 ms, of 8 parallel curls',
    atLeast: 0.9,
    value: against(UNTIL_STORED, 20, ['curl -T × 8']),
  },
  { target: 'write, 20 ms, of rclone (off)', atLeast: 4, value: against(UNTIL_STORED, 20, OFF) },
  {
    target: 'write, 20 ms, of rclone (full) until stored',
    atLeast: 3,
    value: against(UNTIL_STORED, 20, FULL),
  },
  {
    target: 'small files, 8 threads, 20 ms, of rclone (off)',
    atLeast: 2,
    value: against(CREATED, 20, OFF),
  },
  { target: 'the same with upload_inline', atLeast: 4, value: against(CREATED, 20, OFF, INLINE) },
  {
    target: '1,000 small files with write-back, 8 threads, 20 ms, of rclone (full)',
    atLeast: 0.8,
    value: against(WRITTEN_BACK, 20, FULL, WRITE_BACK),
  },
  {
    target: 'ls -l cold, 20 ms, of rclone',
    atMost: 0.4,
    value: against(listingRow('ls -l', 'cold'), 20, RCLONE),
  },
  {
    target: 'ls -l cold, API requests',
    atMost: 100,
    value: ours(listingRow('ls -l', 'cold'), 20, apiRequestsOf),
  },
  {
    target: 'ls -l warm, 20 ms, of the fastest peer',
    atMost: 1.1,
    value: against(listingRow('ls -l', 'warm'), 20, [...RCLONE, S3FS]),
  },
  {
    target: 'ls -l warm, API requests',
    atMost: 0,
    value: ours(listingRow('ls -l', 'warm'), 20, apiRequestsOf),
  },
  { target: 'one cold lookup, API requests', atMost: 1, value: ours(COLD_LOOKUP, 20, apiRequestsOf) },
  {
    target: 'reading 1,000 files of a listed folder, API requests',
    atMost: 1000,
    value: ours(LISTED_FILES_READ, 20, apiRequestsOf),
  },
  {
    target: 'the same with download_info_file',
    atMost: 1000,
    value: ours(LISTED_FILES_READ, 20, apiRequestsOf, WITH_FACTS),
  },
  {
    target: 'memory of a folder of 100,000, MiB',
    atMost: 100,
    value: (table) => {
      const both = [0, FAR_MS].flatMap((latencyMs) => table(CROWD_MEMORY, latencyMs, US) ?? []);
      return both.length === 0 ? undefined : Math.max(...both.map(highestOf));
    },
  },
  {
    // A limit on time: 1.1 times as long is 0.91 times as many.
    target: 'stat storm, of the fastest peer',
    atLeast: 1 / 1.1,
    value: against(STAT_STORM, 20, [...RCLONE, S3FS]),
  },
  { target: 'null file system, requests/s, of C', atLeast: 0.7, value: against(NULL_REQUESTS_8, 0, C) },
  { target: 'null file system, CPU per GiB read, of C', atMost: 1.2, value: cpuAgainstC(NULL_READ) },
  { target: 'null file system, CPU per GiB written, of C', atMost: 1.2, value: cpuAgainstC(NULL_WRITE) },
  {
    target: 'null file system, requests/s on one processor, of fuse-native',
    atLeast: 3,
    value: against(NULL_REQUESTS_ALONE, 0, [FUSE_NATIVE]),
  },
  {
    target: 'null file system, read, of fuse-native',
    atLeast: 2.2,
    value: against(NULL_READ, 0, [FUSE_NATIVE]),
  },
  {
    target: 'null file system, write, of fuse-native',
    atLeast: 2.2,
    value: against(NULL_WRITE, 0, [FUSE_NATIVE]),
  },
  {
    target: 'CPU s per GiB read, 0 ms',
    atMost: 1,
    value: ours(COLD, 0, ({ cpuSecondsPerGib }) => cpuSecondsPerGib),
  },
  {
    target: 'CPU s per GiB written, 0 ms',
    atMost: 1.2,
    value: ours(UNTIL_STORED, 0, ({ cpuSecondsPerGib }) => cpuSecondsPerGib),
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
    value: ours(BUDGET_FULL_AND_STREAM, 0, highestOf),
  },
];

function amplification(table: Lookup): number | undefined {
  const fetched = table(BAM_REGIONS, 20, US)?.sentBytes;
  const used = table(BAM_REGIONS, 20, ON_DISK)?.sentBytes;
  return fetched === undefined || used === undefined ? undefined : fetched / used;
}

function cpuAgainstC(row: string): Target['value'] {
  return (table) => {
    const cpuOf = (peer: string): number | undefined => table(row, 0, peer)?.cpuSecondsPerGib;
    const ourCpu = cpuOf(US);
    const theirs = C.flatMap((peer) => cpuOf(peer) ?? []);
    return ourCpu === undefined || theirs.length < C.length ? undefined : ourCpu / Math.min(...theirs);
  };
}
