import { test } from 'vitest';

/** Features that `--driver fuse-native` cannot express: it is path-based, on libfuse 2.9 (src/fuse/README.md). */
export type Beyond =
  /** Control files show no size, so that only direct I/O reads them. */
  | 'direct-io'
  /** An unlinked file has no path to be reached by. */
  | 'unlinked-while-open'
  /** The package passes the access time twice. */
  | 'modification-time'
  | 'fallocate'
  /** libfuse 2.9 passes no INTERRUPT on to the package. */
  | 'interrupts';

/** The driver that mounts of this run use: `SVCFS_DRIVER`, as `svcfs mount` takes it. */
const isFuseNative = process.env['SVCFS_DRIVER'] === 'fuse-native';

/** Why a test cannot be run over this run's driver: nothing, over the native one. */
export function isBeyondDriver(...needs: readonly Beyond[]): boolean {
  return isFuseNative && needs.length > 0;
}

/** `test`, for what the second driver cannot express. */
export function testBeyond(...needs: readonly [Beyond, ...Beyond[]]): typeof test.skip {
  return test.skipIf(isBeyondDriver(...needs));
}
