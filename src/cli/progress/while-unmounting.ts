import { printable } from '../../lib/printable.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { showing, type WaitOptions } from './show-progress.ts';
import { uploadsOf } from './uploads-standing.ts';

type OnWaiting = (pending: readonly string[]) => void;

/** Shows what an unmount waits for. `unmount` is given what hears of that from the mount's process. */
export async function whileUnmounting<T>(
  mount: SvcfsMount,
  options: WaitOptions,
  unmount: (onWaiting: OnWaiting) => Promise<T>,
): Promise<T> {
  const uploads = uploadsOf(mount);
  const isPlain = !options.quiet && !options.json && process.stderr.isTTY !== true;
  let pending: readonly string[] = [];
  const onWaiting: OnWaiting = (now) => {
    // Nobody watches a line of its own, and a script that has it in its log knows at once what takes the time.
    if (isPlain && pending.length === 0 && now.length > 0) console.error(`waiting for ${describe(now)}`);
    pending = now;
  };
  const read: typeof uploads = async (ended) => {
    const standing = await uploads(ended).catch(() => undefined);
    if (standing !== undefined && standing.total.items > 0) return standing;
    if (pending.length === 0) return standing;
    // Not an upload, or its process is of another version.
    const nothing = { items: 0, bytes: 0 };
    return {
      ...standing,
      done: nothing,
      total: nothing,
      waits: [...(standing?.waits ?? []), describe(pending)],
    };
  };
  return showing(read, { ...options, doing: 'uploading' }, () => unmount(onWaiting));
}

function describe(pending: readonly string[]): string {
  const count = pending.length === 1 ? '1 file' : `${pending.length} files`;
  return `${count}: ${printable(pending[0] ?? '')}`;
}
