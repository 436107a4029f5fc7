import { FsError } from '../errors/fs-error.ts';
import type { FileHandle, OpenReply, ReadReply } from '../file-system.ts';
import { Numbers } from '../model/number-ranges.ts';
import { openModeOf } from '../open-flags.ts';
import type { Names } from './names.ts';
import type { ControlNode, DirectoryNode, FileNode, SyntheticNode } from './node.ts';

interface OpenFile {
  readonly node: FileNode | ControlNode;
}

interface OpenDirectory {
  readonly node: DirectoryNode;
  /** Since it was last read from its start. */
  names: Names | undefined;
}

/** Longer than any word, and what a copy of a file by mistake is cut at. */
const LONGEST_WORD = 256;

/** Open synthetic entries, by the number that the kernel has for each. */
export class OpenSynthetic {
  readonly #numbers = new Numbers<FileHandle>('synthetic');
  readonly #files = new Map<FileHandle, OpenFile>();
  readonly #directories = new Map<FileHandle, OpenDirectory>();

  /** @throws EBADF */
  file(handle: FileHandle): OpenFile {
    return known(this.#files.get(handle), handle);
  }

  /** @throws EBADF */
  directory(handle: FileHandle): OpenDirectory {
    return known(this.#directories.get(handle), handle);
  }

  open(node: SyntheticNode, flags: number): OpenReply {
    if (node.kind === 'directory') throw new FsError('EISDIR', `${node.name} is a directory`);
    if (node.kind === 'link') throw new FsError('EINVAL', `${node.name} is a symbolic link`);
    const { write } = openModeOf(flags);
    if (write && node.kind === 'file')
      throw new FsError('EACCES', `${node.name} is made by the file system, and cannot be written`);
    const handle = this.#numbers.next();
    this.#files.set(handle, { node });
    // Other bytes are another node, so that the kernel's pages stay true. A word is to reach us with its own write(2).
    return { handle, keepCache: node.kind === 'file', directIo: node.kind === 'control' };
  }

  /** A control file is empty to root, whom its mode does not hold back. */
  read(handle: FileHandle, offset: number, sizeBytes: number): ReadReply {
    const { node } = this.file(handle);
    return { chunks: node.kind === 'file' ? [node.bytes.subarray(offset, offset + sizeBytes)] : [] };
  }

  async write(handle: FileHandle, data: Uint8Array, signal: AbortSignal): Promise<number> {
    const { node } = this.file(handle);
    if (node.kind !== 'control')
      throw new FsError('EBADF', `${node.name} is made by the file system, and cannot be written`);
    const word = Buffer.from(data.subarray(0, LONGEST_WORD)).toString().trim();
    if (data.length > LONGEST_WORD || !/^\S+$/.test(word))
      throw new FsError(
        'EINVAL',
        `${node.name} takes one word in one write, as echo WORD > ${node.name} does`,
      );
    await node.entry.take(word, signal);
    return data.length;
  }

  release(handle: FileHandle): void {
    this.#files.delete(handle);
  }

  openDirectory(node: DirectoryNode): FileHandle {
    const handle = this.#numbers.next();
    this.#directories.set(handle, { node, names: undefined });
    return handle;
  }

  releaseDirectory(handle: FileHandle): void {
    this.#directories.delete(handle);
  }
}

function known<T>(open: T | undefined, handle: FileHandle): T {
  if (open === undefined) throw new FsError('EBADF', `handle ${handle} is not open`);
  return open;
}
