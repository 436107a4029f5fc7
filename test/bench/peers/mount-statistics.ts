import { readFile } from 'node:fs/promises';
import type { MountStatistics } from '../../../src/cli/mount/mount-statistics.ts';
import type { Mounted } from './mounted.ts';

/** The statistics of a mount of svcfs, from its `.svcfs/stats`. */
export async function mountStatistics(mounted: Mounted): Promise<MountStatistics> {
  // The data set is a project: projects/OWNER/NAME.
  const stats = mounted.path('../../../.svcfs/stats');
  return JSON.parse(await readFile(stats, 'utf8')) as MountStatistics;
}
