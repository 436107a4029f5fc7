import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { errorCode } from '../../src/lib/error-code.ts';
import { mustRun, shell } from './run.ts';

/** Whether this process may mount file systems of its own. */
export const MAY_MOUNT = process.getuid?.() === 0;

/** A disk of a few MiB that can be filled: a tmpfs. */
export class SmallDisk {
  readonly path: string;

  static async mount(sizeBytes: number): Promise<SmallDisk> {
    const disk = new SmallDisk(dirSync({ prefix: 'svcfs-disk' }).name);
    await mustRun('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', disk.path]);
    return disk;
  }

  private constructor(path: string) {
    this.path = path;
  }

  /** Leaves `freeBytes`, to the page. */
  async fill(freeBytes = 0): Promise<void> {
    await this.empty();
    const free = await shell(`df --output=avail -B1 ${this.path} | tail -1`);
    try {
      await writeFile(this.#filler, Buffer.alloc(Math.max(0, Number(free) - freeBytes)));
    } catch (error) {
      // Somebody has written there meanwhile: it is as full as it was to be.
      if (freeBytes > 0 || errorCode(error) !== 'ENOSPC') throw error;
    }
  }

  /** Takes back what `fill` put there. */
  async empty(): Promise<void> {
    await rm(this.#filler, { force: true });
  }

  async unmount(): Promise<void> {
    await mustRun('umount', [this.path]);
    await rm(this.path, { recursive: true });
  }

  get #filler(): string {
    return join(this.path, 'filler');
  }
}
