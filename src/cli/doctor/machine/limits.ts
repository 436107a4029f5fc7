import { readFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { controlGroupAvailable } from '../../../lib/control-group.ts';
import { describeSize } from '../../../lib/describe-size.ts';
import { type Finding, fault, ok, unknown, warning } from '../../finding.ts';
import { FEWEST_OPEN_FILES } from '../../require-open-files.ts';
import { asRoot, isRoot } from '../as-root.ts';

const MIB = 1024 * 1024;
/** The program itself, and the least budget. */
const LEAST_MEMORY_BYTES = 96 * MIB;
const SCARCE_MEMORY_BYTES = 256 * MIB;
/** Editors and file managers watch each folder that they show. */
const FEWEST_WATCHES = 8192;
const WATCHES = '/proc/sys/fs/inotify/max_user_watches';

export async function checkOpenFiles(limits = '/proc/self/limits'): Promise<Finding> {
  const [, allowed] = /^Max open files\s+(\S+)/m.exec(await readText(limits)) ?? [];
  if (allowed === undefined) return unknown('open files', `${limits} does not tell`);
  if (allowed === 'unlimited') return ok('open files', 'without limit');
  const raise = isRoot()
    ? `ulimit -n ${FEWEST_OPEN_FILES}`
    : `sudo prlimit --pid $$ --nofile=${FEWEST_OPEN_FILES}`;
  return Number(allowed) < FEWEST_OPEN_FILES
    ? fault('open files', `${allowed} at a time, and svcfs needs ${FEWEST_OPEN_FILES}`, { remedy: raise })
    : ok('open files', `${allowed} at a time`);
}

export function checkMemory(availableBytes = Math.min(freemem(), controlGroupAvailable())): Finding {
  const found = `${describeSize(availableBytes)} available`;
  if (availableBytes >= SCARCE_MEMORY_BYTES) return ok('memory', found);
  const remedies = { remedy: 'export SVCFS_MEMORY=32M   # then mount again' };
  return availableBytes < LEAST_MEMORY_BYTES
    ? fault('memory', `${found}: a mount may be ended by the kernel`, remedies)
    : warning('memory', `${found}: little for a mount that caches`, remedies);
}

export async function checkWatches(path = WATCHES): Promise<Finding> {
  const watches = Number.parseInt(await readText(path), 10);
  if (Number.isNaN(watches)) return unknown('inotify', `${path} does not tell`);
  return watches < FEWEST_WATCHES
    ? warning('inotify', `${watches} watches a user: programs that watch large trees fail`, {
        remedy: asRoot('sysctl fs.inotify.max_user_watches=65536'),
      })
    : ok('inotify', `${watches} watches a user`);
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
