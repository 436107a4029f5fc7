import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Of the machine's run since it was started, which its page cache lives as long as; undefined: the system tells none. */
export async function bootId(): Promise<string | undefined> {
  try {
    const told =
      process.platform === 'darwin'
        ? (await execute('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'])).stdout
        : await readFile('/proc/sys/kernel/random/boot_id', 'latin1');
    return told.trim() || undefined;
  } catch {
    return undefined;
  }
}
