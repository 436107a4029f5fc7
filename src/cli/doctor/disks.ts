import { constants } from 'node:fs';
import { access, chmod, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeSize } from '../../lib/describe-size.ts';
import { errorCode } from '../../lib/error-code.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import { quoted } from '../describe/quoted.ts';
import { type Finding, fault, ok, warning } from '../finding.ts';
import { leadsIntoMount } from '../mount/own-files.ts';

const MIB = 1024 * 1024;
/** A part of an upload, and what the journal needs. */
const LEAST_FREE_BYTES = 64 * MIB;
const SCARCE_FREE_BYTES = 1024 * MIB;
const OTHERS_WRITE = 0o022;
/** A write that a full disk or a quota refuses. */
const PROBE = Buffer.alloc(4096, 'svcfs');

/** Numbers of statfs(2) for file systems of other machines, where locks hang on a server: NFS, CIFS, SMB2, Lustre. */
const OF_OTHER_MACHINES: ReadonlySet<number> = new Set([0x6969, 0xff534d42, 0xfe534d42, 0x0bd00bd0]);

/** A place where svcfs writes. */
export interface Place {
  readonly check: 'state' | 'cache';
  readonly path: string;
  /** The option or variable that names another. */
  readonly elsewhere: string;
}

/** Whether svcfs can write there: what is in the way, and how much room there is. */
export async function checkPlace({ check, path, elsewhere }: Place): Promise<Finding> {
  const another = { remedy: `export ${elsewhere}=/a/directory/of/this/machine` };
  if (await leadsIntoMount(path)) return fault(check, `${path} lies in a mount of svcfs`, another);
  const there = await nearestThere(path);
  const facts = await stat(there);
  if (there === path && (facts.mode & OTHERS_WRITE) !== 0)
    return fault(check, `${path} can be written by others`, {
      remedy: `chmod go-w ${quoted(path)}`,
      fix: () => chmod(path, facts.mode & ~OTHERS_WRITE & 0o7777),
    });
  const { bavail, bsize, files, ffree, type } = await statfs(there);
  const freeBytes = bavail * bsize;
  const free = `${describeSize(freeBytes)} free in ${there}`;
  const room = { remedy: `df -h ${quoted(there)}   # make room; or: ${another.remedy}` };
  if (files > 0 && ffree === 0)
    return fault(check, `no file can be made in ${there}: all inodes are used`, room);
  if (freeBytes < LEAST_FREE_BYTES) return fault(check, free, room);
  const refused = await refusalOfWrite(there);
  if (refused === 'ENOSPC' || refused === 'EDQUOT')
    return fault(check, `the disk or quota of ${there} is full`, room);
  if (refused !== undefined) return fault(check, `${there}: ${refused}`, another);
  if (OF_OTHER_MACHINES.has(type) && check === 'state')
    return warning(
      check,
      `${there} is on another machine: svcfs waits for it, and its locks must work`,
      another,
    );
  return freeBytes < SCARCE_FREE_BYTES ? warning(check, free, room) : ok(check, free);
}

/** The place, or the deepest directory above it that is there. */
async function nearestThere(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const facts = await stat(at).catch(() => undefined);
    if (facts?.isDirectory() === true || at === dirname(at)) return at;
  }
}

/** A code where room is wanted, else a reason for a person. */
async function refusalOfWrite(directory: string): Promise<string | undefined> {
  const probe = join(directory, `.svcfs-doctor-${process.pid}`);
  try {
    await access(directory, constants.W_OK | constants.X_OK);
    await writeFile(probe, PROBE, { flag: 'wx', mode: 0o600, flush: true });
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOSPC' || code === 'EDQUOT' ? code : plainReason(error);
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}
