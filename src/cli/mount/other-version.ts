import { packageVersion } from '../package-version.ts';
import { type MountRecord, readRecord } from '../record.ts';
import type { SvcfsMount } from './require-mount.ts';

/**
 * A mount goes on with the svcfs that it was mounted by, whatever is installed since: the two may not understand each other.
 * Answers both versions and the remedy for a person; undefined when the mount is of this version, or cannot be told.
 */
export async function otherVersion({ mountPoint, directory }: SvcfsMount): Promise<string | undefined> {
  const record = await readRecord<MountRecord>(directory.record).catch(() => undefined);
  const own = packageVersion();
  if (record === undefined || record.version === own) return undefined;
  const theirs = record.version === undefined ? 'an earlier svcfs' : `svcfs ${record.version}`;
  return (
    `${mountPoint} is served by ${theirs}, and this command is svcfs ${own}: ` +
    `svcfs unmount ${mountPoint} and another svcfs mount bring it up to date`
  );
}
