import { writeFile } from 'node:fs/promises';

/** Pages of files that nobody uses (proc_sys_vm(5)). */
const PAGE_CACHE = '1';

/** Has memory be free that earlier rows left full of files: whoever came first had to reclaim it. Nothing happens unless this is root. */
export async function dropPageCache(): Promise<void> {
  await writeFile('/proc/sys/vm/drop_caches', PAGE_CACHE).catch(() => undefined);
}
