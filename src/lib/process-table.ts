import { readFile } from 'node:fs/promises';

/** What the system knows of a running thread. */
export interface ProcessTable {
  /** The process (thread group) of a thread; undefined when it is gone or cannot be told. */
  processOf(thread: number): Promise<number | undefined>;
  /** It is ending: killed, or past its own exit. */
  isExiting(thread: number): Promise<boolean>;
}

/** PF_EXITING of the kernel's task flags (include/linux/sched.h). */
const PF_EXITING = 0x4;
/** Place of `flags` among the fields after the command's name in /proc/PID/stat (proc_pid_stat(5), field 9). */
const FLAGS_AFTER_NAME = 6;

/** By /proc. Thread ids are those of this process's pid namespace, as in the headers of FUSE requests. */
export const procProcessTable: ProcessTable = {
  processOf: async (thread) => {
    const status = await read(`/proc/${thread}/status`);
    const found = status === undefined ? undefined : /^Tgid:\s+(\d+)$/m.exec(status);
    return found ? Number(found[1]) : undefined;
  },
  isExiting: async (thread) => {
    const stat = await read(`/proc/${thread}/stat`);
    if (stat === undefined) return false;
    // The name stands in brackets and may hold brackets and blanks itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[FLAGS_AFTER_NAME]) & PF_EXITING) !== 0;
  },
};

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
