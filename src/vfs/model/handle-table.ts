import { FsError } from '../errors/fs-error.ts';
import type { FileHandle } from '../file-system.ts';

/** Open objects, by the number the kernel has for each. Numbers count up and are never given twice within a mount. */
export class HandleTable<T> {
  readonly #open = new Map<FileHandle, T>();
  #next = 1;

  get size(): number {
    return this.#open.size;
  }

  values(): IterableIterator<T> {
    return this.#open.values();
  }

  add(opened: T): FileHandle {
    const handle = this.#next++ as FileHandle;
    this.#open.set(handle, opened);
    return handle;
  }

  get(handle: FileHandle): T {
    const opened = this.#open.get(handle);
    if (opened === undefined) throw new FsError('EBADF', `handle ${handle} is not open`);
    return opened;
  }

  delete(handle: FileHandle): void {
    this.#open.delete(handle);
  }
}
