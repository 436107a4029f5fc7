import { constants } from 'node:fs';
import { allocateChunk } from '../../../src/content/memory/chunk.ts';
import type { FileHandle, OpenReply, ReadReply } from '../../../src/vfs/file-system.ts';
import { MemoryFs } from '../../support/memory-fs.ts';

/** As in native/null-fs.c. */
export const FILE_BYTES = 4 * 1024 ** 3;
export const FILE_MODE = constants.S_IFREG | 0o644;

/** Memory as a mount answers from: a page that does not begin where the kernel's does costs half as much again to copy. */
const CONTENT = allocateChunk(2 * 1024 * 1024).fill('x');

/** The file system of native/null-fs.c, for our driver. */
export class NullFileSystem extends MemoryFs {
  constructor() {
    super({ ttlMs: 0 });
    this.node(this.place('file', Buffer.alloc(0))).sizeBytes = FILE_BYTES;
  }

  override open(): OpenReply {
    return { handle: 1 as FileHandle, keepCache: false, directIo: false };
  }

  override read(_handle: FileHandle, _offset: number, sizeBytes: number): ReadReply {
    return { chunks: [CONTENT.subarray(0, sizeBytes)] };
  }

  override write(_handle: FileHandle, _offset: number, data: Uint8Array): number {
    return data.length;
  }
}
