import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type MountDirectory, mountDirectory, mountDirectoryAt } from '../../../config/directories.ts';
import { mountedOn } from '../../../fuse/mount-table.ts';
import { exists } from '../../../lib/exists.ts';
import { lockFile } from '../../../lib/lock-file.ts';
import { isRunning } from '../../../lib/process-identity.ts';
import { quoted } from '../../describe/quoted.ts';
import { type Finding, fault, ok, warning } from '../../finding.ts';
import { isHeldToMount } from '../../mount/lock-holder.ts';
import { waitingAt } from '../../mount/waiting-elsewhere.ts';
import { type MountRecord, readRecord, removeRecord } from '../../record.ts';
import { keptAt, needsPerson } from '../../recover/kept-entries.ts';

/** What mounts have left in the state directory, at one mount point or at all, and who else uses it. */
export async function checkState(state: string, only: string | undefined): Promise<readonly Finding[]> {
  const directories =
    only === undefined
      ? (await readdir(state).catch(() => [])).map((name) => mountDirectoryAt(join(state, name)))
      : [mountDirectory(state, only)];
  const found = (await Promise.all(directories.map(checkOne))).flat();
  const shared = only === undefined ? await sharedAccounts(directories) : [];
  return found.length === 0 ? [ok('leftovers', 'none'), ...shared] : [...found, ...shared];
}

async function checkOne(directory: MountDirectory): Promise<readonly Finding[]> {
  const record = await readRecord<MountRecord>(directory.record).catch(() => undefined);
  return [
    ...(await checkLock(directory, record)),
    ...(await checkRecord(directory, record)),
    ...(await checkUploads(directory)),
    ...(await checkKept(directory)),
  ];
}

/** A process that runs here is on record, or holds the lock by its own name. */
async function checkLock(
  { root }: MountDirectory,
  record: MountRecord | undefined,
): Promise<readonly Finding[]> {
  const lock = join(root, 'lock');
  if (!(await exists(lock)) || (record !== undefined && (await isRunning(record.daemon)))) return [];
  const held = await lockFile(lock, 0).catch(() => 'none' as const);
  if (held === 'none') return [];
  if (held !== undefined) {
    await held.close();
    return [];
  }
  if (await isHeldToMount(root)) return [];
  return [
    fault('other mounts', `another machine or container that shares ${root} serves its mount point`, {
      remedy: 'export XDG_STATE_HOME=/a/directory/of/this/machine   # or unmount it there',
    }),
  ];
}

async function checkRecord(
  { record: path }: MountDirectory,
  record: MountRecord | undefined,
): Promise<readonly Finding[]> {
  if (record?.daemon === undefined || (await isRunning(record.daemon))) return [];
  const { mountPoint } = record;
  // A mount that is there and dead is told of by itself.
  if ((await mountedOn(mountPoint)) !== undefined) return [];
  return [
    warning('leftovers', `the mount on ${mountPoint} ended without unmounting`, {
      remedy: `svcfs mount ${quoted(mountPoint)}   # as before; or forget it: svcfs doctor --fix`,
      fix: () => removeRecord(path),
    }),
  ];
}

async function checkUploads(directory: MountDirectory): Promise<readonly Finding[]> {
  return (await waitingAt(directory)).map((line) => {
    const [found = line, remedy = ''] = line.split('; to upload them ');
    return warning('leftovers', found, { remedy: `svcfs mount MOUNTPOINT   # ${remedy}` });
  });
}

async function checkKept(directory: MountDirectory): Promise<readonly Finding[]> {
  const { entries, unreadable } = await keptAt(directory);
  const count = entries.filter(needsPerson).length;
  return [
    ...(count === 0
      ? []
      : [
          warning(
            'leftovers',
            `${count} of the files kept on this machine need you: the service has not taken them`,
            {
              remedy: 'svcfs recover list',
            },
          ),
        ]),
    ...unreadable.map((line) => warning('leftovers', line, { remedy: 'svcfs recover list' })),
  ];
}

/** Mounts of one account spend one request limit. */
async function sharedAccounts(directories: readonly MountDirectory[]): Promise<readonly Finding[]> {
  const byAccount = new Map<string, string[]>();
  for (const { record: path } of directories) {
    const record = await readRecord<MountRecord>(path).catch(() => undefined);
    if (record?.account === undefined || !(await isRunning(record.daemon))) continue;
    byAccount.set(record.account, [...(byAccount.get(record.account) ?? []), record.mountPoint]);
  }
  const shared = [...byAccount.values()].filter((mountPoints) => mountPoints.length > 1);
  return shared.map((mountPoints) => ok('other mounts', `${mountPoints.join(', ')} share one request limit`));
}
