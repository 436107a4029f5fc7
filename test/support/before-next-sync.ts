import { type FileHandle, open } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';

/** Has something done right before this process next makes a file or directory durable, other than by `datasync`. */
export async function beforeNextSync(act: () => Promise<void>): Promise<void> {
  const handle = await open('/dev/null');
  const handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const spy = vi.spyOn(handles, 'sync').mockImplementationOnce(async function (this: FileHandle) {
    await act();
    return this.sync();
  });
  onTestFinished(() => spy.mockRestore());
}
