import { readFile } from 'node:fs/promises';

/**
 * Bytes of files that came into the page cache once more since the machine began, because the kernel had used their
 * memory for something else (`workingset_refault_file`, in pages of 4 KiB; mm/workingset.c). Some machines take what
 * they think cold though there is room (DAMON), and that may be what came a moment ago and nobody has read yet.
 */
export async function refaultedBytes(): Promise<number> {
  const [, pages = '0'] =
    /^workingset_refault_file (\d+)$/m.exec(await readFile('/proc/vmstat', 'utf8')) ?? [];
  return Number(pages) * 4096;
}
