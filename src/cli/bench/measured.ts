import type { CurlDownload } from './curl.ts';

/** Bytes in one go. */
export interface Flow {
  readonly bytes: number;
  readonly bytesPerSecond: number;
}

export interface Reading extends Flow {
  /** Of the bytes, those that came from a store now; the others were in a cache. */
  readonly fromStoreBytes: number;
  /** CPU time of the mount's process, in cores. */
  readonly cores: number;
  /** Processes that want to run, for each core of the machine. */
  readonly loadPerCore: number;
}

export interface RandomReading {
  readonly reads: number;
  readonly medianMs: number;
}

export interface SmallFiles {
  readonly files: number;
  readonly perSecond: number;
  /** Of the API, for each. */
  readonly requestsPerFile: number;
}

export interface Listing {
  readonly entries: number;
  readonly ms: number;
  readonly requests: number;
}

/** As `svcfs bench --json` prints it. Undefined: not measured, for a reason in `leftOut`. */
export interface Measured {
  readonly path: string;
  readonly write?: Flow | undefined;
  readonly writeSmall?: SmallFiles | undefined;
  readonly read?: Reading | undefined;
  readonly random?: RandomReading | undefined;
  readonly readSmall?: SmallFiles | undefined;
  readonly listing?: Listing | undefined;
  /** Of the file that was read, by its link. */
  readonly curl?: CurlDownload | undefined;
  /** The median of ranges as small as those of `random`. */
  readonly curlRandomMs?: number | undefined;
  /** Requests of the API in an interval of its limit, where there is one. */
  readonly rateLimit?: number | undefined;
  /** Of the API, all in all. */
  readonly requests: number;
  readonly leftOut: readonly string[];
}
