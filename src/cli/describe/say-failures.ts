import type { FailedPaths } from '../mount/path-failures.ts';

/** A line for each path that failed, as far as they are known. */
export function sayFailures({ failures, failed }: FailedPaths): void {
  for (const { path, reason } of failures) console.error(`svcfs: ${path}: ${reason}`);
  if (failed > failures.length) console.error(`svcfs: and ${failed - failures.length} more`);
}
