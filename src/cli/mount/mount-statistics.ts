import type { ApiClient } from '../../api/create-api.ts';
import type { ConnectionStatus } from '../../api/transport/connection.ts';
import type { DiskCacheStatistics } from '../../content/disk/disk-cache.ts';
import type { OpenedDiskCache } from '../../content/disk/open-disk-cache.ts';
import type { MemoryPool } from '../../content/memory/memory-pool.ts';
import type { ContentWriter, SpoolUsage, UploadProgress } from '../../content/ports.ts';
import type { CachingReader } from '../../content/read/content-reader.ts';
import type { CacheStatistics } from '../../content/read/segment-cache.ts';
import type { Jobs } from '../../jobs/ports.ts';
import type { OperationCounts, OperationSnapshot } from '../../observe/operation-counts.ts';
import type { SpansSnapshot } from '../../observe/otlp/span-exporter.ts';
import type { RequestDurations, RequestsSnapshot, Retries } from '../../observe/request-durations.ts';
import type { StoresSnapshot, TransferCounts } from '../../observe/transfer-counts.ts';
import type { Beliefs, BeliefsSnapshot } from '../../vfs/model/beliefs.ts';
import type { UnkeptCounts, UnkeptSnapshot } from '../../vfs/model/unkept-counts.ts';
import type { MountTraces } from './connect-clients.ts';
import type { ProgramSpending, ProgramSpent } from './program-spending.ts';
import type { ServiceLog } from './service-log.ts';

export interface CountedParts {
  readonly api: ApiClient;
  readonly service: ServiceLog;
  readonly reader: CachingReader;
  readonly memory: MemoryPool;
  /** Undefined: not asked for. */
  readonly disk: OpenedDiskCache | undefined;
  readonly operations: OperationCounts;
  readonly requests: RequestDurations;
  readonly programs: ProgramSpending;
  readonly transfers: TransferCounts;
  readonly traces: MountTraces | undefined;
  readonly writer: Pick<ContentWriter, 'uploads' | 'spool'>;
  readonly jobs: Pick<Jobs, 'pending'>;
  readonly unkept: UnkeptCounts;
  readonly beliefs: Beliefs;
}

/** As `.svcfs/stats` and `svcfs status` show it. */
export type MountStatistics = Readonly<{
  api: ConnectionStatus & ReturnType<ServiceLog['snapshot']>;
  cache: CacheStatistics;
  /** Null: there is none. */
  diskCache: DiskCacheStatistics | null;
  warnings: readonly string[];
  memory: {
    readonly limitBytes: number;
    readonly usedBytes: number;
    /** Used, or kept to be used again. */
    readonly heldBytes: number;
    /** Taken from the machine since the mount began; what is used again does not count. */
    readonly freshBytes: number;
  };
  spool: SpoolUsage;
  uploads: {
    readonly writing: number;
    readonly publishing: number;
    readonly partsInFlight: number;
    /** Of parts, as they leave this machine, since the mount began. Bytes of a lost connection are not counted. */
    readonly sentBytes: number;
  };
  jobs: { readonly unfinished: number };
  /** Attributes that were accepted and forgotten. */
  unkept: UnkeptSnapshot;
  /** Facts that have expired and are believed, while the rate limit is spent. */
  believed: BeliefsSnapshot;
  /** By name of the kernel's request. */
  operations: Readonly<Record<string, OperationSnapshot>>;
  /** To the API, by call and status, retries included. */
  requests: RequestsSnapshot;
  /** Of these, how many were sent again, and why. */
  retries: Retries;
  /** For which programs they were, those that spent most of late first. */
  programs: readonly ProgramSpent[];
  /** Bytes from and to stores. */
  stores: StoresSnapshot;
  /** Spans for the collector of `--otlp`; null: there is none. */
  spans: SpansSnapshot | null;
}>;

export function statisticsOf(parts: CountedParts): MountStatistics {
  const { api, service, reader, memory, disk, writer, jobs, unkept, beliefs, operations } = parts;
  const stores = parts.transfers.snapshot();
  return {
    api: { ...api.status(), ...service.snapshot() },
    cache: reader.statistics(),
    diskCache: disk?.cache?.statistics ?? null,
    warnings: disk?.warning === undefined ? [] : [disk.warning],
    memory: {
      limitBytes: memory.limitBytes,
      usedBytes: memory.lentBytes,
      heldBytes: memory.heldBytes,
      freshBytes: memory.freshBytes,
    },
    spool: writer.spool(),
    uploads: countUploads(writer.uploads(), stores.part.bytes),
    jobs: { unfinished: jobs.pending() },
    unkept: unkept.snapshot(),
    believed: beliefs.snapshot(),
    operations: operations.snapshot(),
    programs: parts.programs.snapshot(),
    requests: parts.requests.snapshot(),
    retries: parts.requests.retries,
    stores,
    spans: parts.traces?.exporter.snapshot() ?? null,
  };
}

function countUploads(uploads: readonly UploadProgress[], takenBytes: number): MountStatistics['uploads'] {
  const count = (wanted: UploadProgress['state']): number =>
    uploads.filter(({ state }) => state === wanted).length;
  return {
    writing: count('writing'),
    publishing: count('publishing'),
    partsInFlight: uploads.reduce((sum, upload) => sum + upload.partsInFlight, 0),
    sentBytes: uploads.reduce((sum, { sentBytes, storedBytes }) => sum + sentBytes - storedBytes, takenBytes),
  };
}
