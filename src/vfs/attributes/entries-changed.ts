import type { Clock } from '../../lib/clock.ts';
import { nanosecondsOf } from '../../lib/nanoseconds.ts';
import type { FolderState } from '../model/folder-state.ts';
import { folderKey } from '../model/folder-state.ts';
import type { DirectoryNode } from '../model/node.ts';

/** The span within which a clock of milliseconds cannot tell two times apart. */
const TICK_NS = nanosecondsOf(1);

/**
 * An entry of the directory was made, removed or renamed, here or elsewhere: its time is now, and another than before.
 * A time that a program set holds no longer. The platform keeps no such time: it is this mount's own.
 */
export function entriesChanged(
  { clock, folderState }: { readonly clock: Pick<Clock, 'now'>; readonly folderState: FolderState },
  directory: DirectoryNode,
): void {
  if (directory.kind === 'virtual-directory') return;
  const nowMs = clock.now();
  const nowNs = nanosecondsOf(nowMs);
  const before = directory.mtimeNs ?? 0n;
  const isInThisTick = before >= nowNs && before < nowNs + TICK_NS;
  directory.mtimeNs = isInThisTick ? before + 1n : nowNs;
  directory.changedMs = nowMs;
  if (directory.kind === 'project-folder') folderState.forgetTime(folderKey(directory));
}
