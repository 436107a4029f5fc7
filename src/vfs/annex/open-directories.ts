import { FsError } from '../errors/fs-error.ts';
import type { DirSink, FileHandle } from '../file-system.ts';
import { inodeNumber } from '../model/inode-number.ts';
import { Numbers } from '../model/number-ranges.ts';
import { fileTypeOfAnnex } from './attributes.ts';
import type { AnnexDirectory } from './node.ts';

/** Open directories of annexes. */
export class AnnexDirectories {
  readonly #open = new Map<FileHandle, AnnexDirectory>();
  readonly #numbers = new Numbers<FileHandle>('annex');

  add(directory: AnnexDirectory): FileHandle {
    const handle = this.#numbers.next();
    this.#open.set(handle, directory);
    return handle;
  }

  /** @throws EBADF */
  get(handle: FileHandle): AnnexDirectory {
    const directory = this.#open.get(handle);
    if (directory === undefined) throw new FsError('EBADF', `handle ${handle} is not open`);
    return directory;
  }

  delete(handle: FileHandle): void {
    this.#open.delete(handle);
  }

  async read(
    handle: FileHandle,
    offset: number,
    { sink, signal }: { readonly sink: DirSink; readonly signal: AbortSignal },
  ): Promise<void> {
    const directory = this.get(handle);
    const names = [
      { name: '.', kind: 'directory' } as const,
      { name: '..', kind: 'directory' } as const,
      ...(await directory.source.names(directory, signal)),
    ];
    for (const [index, { name, kind }] of names.entries()) {
      if (index < offset) continue;
      const ino = inodeNumber(`${directory.ino}/${name}`);
      if (!sink.add({ name, ino, type: fileTypeOfAnnex(kind), nextOffset: index + 1 })) return;
    }
  }
}
