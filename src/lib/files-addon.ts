import { optionalAddon } from './optional-addon.ts';

/** native/src/files/files.cc */
interface FilesAddon {
  /**
   * Has the kernel copy bytes between two descriptors: file systems that can share blocks between files do, and no byte passes
   * this process. Answers how many, 0 at the end, or the negative errno. Both stay open until then.
   */
  copyRange(from: number, to: number, fromOffset: number, toOffset: number, length: number): Promise<number>;
}

/** Undefined where it was not built: all that uses it works without, and slower. */
export const filesAddon = optionalAddon<FilesAddon>('files');
