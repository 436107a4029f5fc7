import { homedir } from 'node:os';
import { mountDirectory, stateDirectory } from '../../../config/directories.ts';
import { stateOfMount } from '../../../fuse/mount-state.ts';
import { isSvcfs, type MountedFileSystem, mountedBelow } from '../../../fuse/mount-table.ts';
import { recoverDeadMount } from '../../../fuse/recover-dead-mount.ts';
import { processState } from '../../../lib/process-identity.ts';
import { findingsOfMount } from '../../describe/mount-health.ts';
import { quoted } from '../../describe/quoted.ts';
import { type Finding, fault, ok, warning } from '../../finding.ts';
import { askMount } from '../../mount/ask-mount.ts';
import type { MountStatus } from '../../mount/control-messages.ts';
import { otherVersion } from '../../mount/other-version.ts';
import type { SvcfsMount } from '../../mount/require-mount.ts';
import { type MountRecord, readRecord } from '../../record.ts';

/** A mount that works answers at once. */
const PATIENCE_MS = 2000;
const PATIENCE = { quietMs: 1000, answerMs: 1000 };
const STOPPED: ReadonlySet<string | undefined> = new Set(['T', 't']);

/** The mounts of this user, or the one that is named. None is waited for. */
export async function checkMounts(only: string | undefined): Promise<readonly Finding[]> {
  const mounts = (await mountedBelow('')).filter(isSvcfs);
  const asked = mounts.filter((mount) => (only === undefined ? isOurs(mount) : mount.mountPoint === only));
  if (asked.length === 0) return [ok('mounts', only === undefined ? 'none' : `none on ${only}`)];
  return (await Promise.all(asked.map(({ mountPoint }) => checkMount(mountPoint)))).flat();
}

/** Root's own, too: those of others are theirs to mend. */
function isOurs({ userId }: MountedFileSystem): boolean {
  return userId === process.getuid?.();
}

async function checkMount(mountPoint: string): Promise<readonly Finding[]> {
  const directory = mountDirectory(stateDirectory(process.env, homedir()), mountPoint);
  const record = await readRecord<MountRecord>(directory.record).catch(() => undefined);
  const force = `svcfs unmount --force ${quoted(mountPoint)}`;
  const check = `mount ${mountPoint}`;
  switch (await stateOfMount(mountPoint, PATIENCE_MS)) {
    case 'dead':
      return [
        fault(check, 'its process has ended: every access fails', {
          remedy: force,
          fix: () => recoverDeadMount(mountPoint),
        }),
      ];
    case 'silent': {
      const isStopped = record !== undefined && STOPPED.has(await processState(record.daemon));
      const found = isStopped ? 'its process is stopped' : 'its process does not answer';
      return [fault(check, found, { remedy: isStopped ? `kill -CONT ${record.daemon.pid}` : force })];
    }
    case 'alive':
      return record === undefined
        ? [ok(check, 'answers; mounted by another user, or with another XDG_STATE_HOME')]
        : askIt(check, { mountPoint, directory });
  }
}

async function askIt(check: string, mount: SvcfsMount): Promise<readonly Finding[]> {
  const again = `svcfs unmount ${quoted(mount.mountPoint)}   # then mount again`;
  const other = await otherVersion(mount);
  const [age] = other?.split(': svcfs unmount') ?? [];
  const old = age === undefined ? [] : [warning(check, age, { remedy: again })];
  const status = await statusOf(mount);
  if (status === undefined)
    return [...old, warning(check, 'answers programs, and not svcfs', { remedy: again })];
  // Files that are kept have a finding of their own.
  const looked = { mountPoint: mount.mountPoint, kept: 0, nowMs: Date.now() };
  const trouble = findingsOfMount(status, looked);
  const remedies = { remedy: `svcfs status ${quoted(mount.mountPoint)}` };
  if (trouble.length === 0) return [...old, ok(check, 'answers')];
  const lines = trouble.map(({ check: about, found }) => `${about}: ${found}`);
  return [...old, ...lines.map((line) => warning(check, line, remedies))];
}

async function statusOf(mount: SvcfsMount): Promise<MountStatus | undefined> {
  try {
    for await (const said of askMount(mount, { request: 'status' }, { patience: PATIENCE }))
      return said.answer === 'status' ? said : undefined;
  } catch {
    // Said by the finding.
  }
  return undefined;
}
