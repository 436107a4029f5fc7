import type { FileHandle, FileSystem, OpenReply } from '../file-system.ts';
import { openModeOf } from '../open-flags.ts';

export type Method = (...args: readonly unknown[]) => unknown;

/** What changes names, tags or metadata of files. */
const CHANGES: readonly (keyof FileSystem)[] = ['setxattr', 'removexattr', 'rename', 'unlink', 'symlink'];

/** Tells of operations on the tree after which a query may have another result. */
export class TreeChanges {
  readonly #changed: () => void;
  /** Files that are open to be written: they change when they are closed. */
  readonly #written = new Set<FileHandle>();

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  telling(op: keyof FileSystem, method: Method): Method {
    switch (op) {
      case 'open':
        return async (...args) => {
          const reply = (await method(...args)) as OpenReply;
          const { write, truncate } = openModeOf(Number(args[1]));
          if (write || truncate) this.#written.add(reply.handle);
          return reply;
        };
      case 'create':
        return async (...args) => {
          const created = (await method(...args)) as { readonly open: OpenReply };
          this.#written.add(created.open.handle);
          return created;
        };
      case 'flush':
      case 'release':
        return (...args) => {
          const handle = args[0] as FileHandle;
          if (!this.#written.has(handle)) return method(...args);
          if (op === 'release') this.#written.delete(handle);
          return this.#after(() => method(...args));
        };
      default:
        return CHANGES.includes(op) ? (...args) => this.#after(() => method(...args)) : method;
    }
  }

  async #after(work: () => unknown): Promise<unknown> {
    try {
      return await work();
    } finally {
      this.#changed();
    }
  }
}
