import { readFileSync } from 'node:fs';

/** Facts of the system about a running thread. */
export interface ProcessTable {
  /** The process (thread group) of a thread; undefined when it is gone or cannot be told. */
  processOf(thread: number): Promise<number | undefined>;
  /** How it is ending, by its own exit or killed by a signal; undefined when it is not, or cannot be told. */
  endOf(thread: number): Promise<'exit' | 'kill' | undefined>;
}

/** Place of `exit_code` among the fields after the command's name (proc_pid_stat(5), field 52). */
const EXIT_CODE_AFTER_NAME = 49;
/** The signal that killed it, in a status as of wait(2). */
const SIGNAL_BITS = 0x7f;

/** By /proc. Thread ids are those of this process's pid namespace, as in the headers of FUSE requests. */
export const procProcessTable: ProcessTable = {
  processOf: async (thread) => {
    const status = read(`/proc/${thread}/status`);
    const found = status === undefined ? undefined : /^Tgid:\s+(\d+)$/m.exec(status);
    return found ? Number(found[1]) : undefined;
  },
  endOf: async (thread) => {
    // A process that ends has given up its table of descriptors before it closes them. A process in execve(2) closes
    // some as well, and holds a lock meanwhile that reading `stat` waits for (as of Linux 6.18.44): neither would ever
    // go on.
    const status = read(`/proc/${thread}/status`);
    if (status === undefined || !/^FDSize:\s+0$/m.test(status)) return undefined;
    const stat = read(`/proc/${thread}/stat`);
    if (stat === undefined) return undefined;
    // The name stands in brackets and may hold brackets and blanks itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[EXIT_CODE_AFTER_NAME]) & SIGNAL_BITS) === 0 ? 'exit' : 'kill';
  },
};

/**
 * The process of a thread, and its process group: what a shell starts as one job, a loop or a pipeline. Undefined when it is gone
 * or cannot be told. Not from `stat`, which may wait for a process in execve(2): see `endOf`.
 */
export function jobOf(thread: number): { readonly process: number; readonly group: number } | undefined {
  const status = read(`/proc/${thread}/status`) ?? '';
  const [, process] = /^Tgid:\s+(\d+)$/m.exec(status) ?? [];
  const [, group] = /^NSpgid:\s+(\d+)/m.exec(status) ?? [];
  return process && group ? { process: Number(process), group: Number(group) } : undefined;
}

/** The name of a process (comm, at most 15 bytes); undefined when it is gone. */
export function commandOf(process: number): string | undefined {
  return read(`/proc/${process}/comm`)?.trimEnd();
}

/** procfs is memory: asking a thread of the pool, four times for a file, costs ten times as much. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
