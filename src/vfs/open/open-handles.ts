import type { ProcessTable } from '../../lib/process-table.ts';
import { FsError } from '../errors/fs-error.ts';
import type { FileHandle } from '../file-system.ts';
import type { FileContent, OpenFile } from '../model/file-content.ts';
import { HandleTable } from '../model/handle-table.ts';
import type { FileNode } from '../model/operations.ts';
import type { OpenMode } from '../open-flags.ts';

/** The open files of the kernel, by handle, and the process that opened each. */
export class OpenHandles {
  readonly #handles = new HandleTable<OpenFile>();
  readonly #processes: ProcessTable;

  constructor(processes: ProcessTable) {
    this.#processes = processes;
  }

  add(content: FileContent, mode: OpenMode, thread: number): FileHandle {
    const opener = mode.write ? this.#processes.processOf(thread) : Promise.resolve(undefined);
    const open: OpenFile = {
      content,
      mode,
      openedBy: thread,
      opener,
      truncates: mode.truncate,
      view: undefined,
    };
    content.handles.add(open);
    return this.#handles.add(open);
  }

  /** Throws EBADF. */
  get(handle: FileHandle): OpenFile {
    return this.#handles.get(handle);
  }

  nodeOf(handle: FileHandle): FileNode {
    return this.get(handle).content.node;
  }

  /** Throws EBADF. */
  writable(handle: FileHandle): OpenFile {
    const open = this.get(handle);
    if (!open.mode.write) throw new FsError('EBADF', `handle ${handle} is not open for writing`);
    return open;
  }

  delete(handle: FileHandle): void {
    this.#handles.delete(handle);
  }

  /** How the process of a thread is about to end, if it is. */
  endOf(thread: number): ReturnType<ProcessTable['endOf']> {
    return this.#processes.endOf(thread);
  }

  /** A process that cannot be known, because it has ended or is the kernel itself, counts as the opener. */
  async isOpener(open: OpenFile, thread: number): Promise<boolean> {
    if (thread === open.openedBy) return true;
    const [opener, closer] = await Promise.all([open.opener, this.#processes.processOf(thread)]);
    return opener === undefined || closer === undefined || opener === closer;
  }
}
