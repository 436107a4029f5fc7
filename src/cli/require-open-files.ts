import { readFile } from 'node:fs/promises';
import { CliError } from './exit-codes.ts';

/** All modules are opened at a time when they are loaded; later it is connections, and what programs have open. */
export const FEWEST_OPEN_FILES = 1024;

/**
 * Refuses to start under a limit of open files (`ulimit -n`) that svcfs would meet at any moment. Node.js raises the soft
 * limit to the hard one by itself.
 */
export async function requireOpenFiles(limits = readLimits): Promise<void> {
  const allowed = /^Max open files\s+(\d+)/m.exec(await limits())?.[1];
  if (allowed === undefined || Number(allowed) >= FEWEST_OPEN_FILES) return;
  throw new CliError(
    'failure',
    `only ${allowed} files may be open at a time, and svcfs needs ${FEWEST_OPEN_FILES}: raise the limit with ulimit -n ${FEWEST_OPEN_FILES}, or with LimitNOFILE=${FEWEST_OPEN_FILES} in a systemd unit`,
  );
}

/** proc_pid_limits(5); empty where there is none, as on macOS. */
function readLimits(): Promise<string> {
  return readFile('/proc/self/limits', 'latin1').catch(() => '');
}
