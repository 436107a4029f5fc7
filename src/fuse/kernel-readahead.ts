import { closeSync, openSync, writeSync } from 'node:fs';
import { mountedOn } from './mount-table.ts';

const KIB = 1024;

/** Four requests: some are answered while the program reads what the others brought. */
const BY_DEFAULT = 2048 * KIB;

/**
 * How far the kernel reads ahead of a program. A mount has one value, INIT can only lower it, and root may set it in
 * sysfs; an open file takes what its mount has when its OPEN is answered. So it is set before each of these answers.
 * Two opens at the same moment may take one another's value, which costs some speed and nothing else.
 */
export class KernelReadahead {
  readonly #file: number;
  #bytes = 0;

  private constructor(file: number) {
    this.#file = file;
  }

  /** Undefined where it cannot be set: without root's rights, and in a container whose /sys is read-only. */
  static async of(mountPoint: string): Promise<KernelReadahead | undefined> {
    const mounted = await mountedOn(mountPoint);
    if (mounted === undefined) return undefined;
    try {
      return new KernelReadahead(openSync(`/sys/class/bdi/0:${mounted.deviceMinor}/read_ahead_kb`, 'w'));
    } catch {
      return undefined;
    }
  }

  /** For the file that is opened next. Nothing is waited for: sysfs is memory. */
  set(bytes: number = BY_DEFAULT): void {
    if (bytes === this.#bytes) return;
    try {
      writeSync(this.#file, String(bytes / KIB), 0);
      this.#bytes = bytes;
    } catch {
      // The mount is gone, or nobody may any more: the file is read in smaller or larger pieces.
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}
