import { sharedAbortController } from '../../../lib/shared-signals.ts';
import { TRASH } from '../../../places/trash-folder.ts';
import { daysInTrash, daysOlderThan } from '../../../trash/trash-days.ts';
import { DAY_MS, dayOf } from '../../../trash/trash-name.ts';
import { isAbort } from '../../errors/errno-of.ts';
import { type Project, type ProjectFolderNode, pathOf } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';

/** How often it looks which projects somebody has looked into. */
const PERIOD_MS = 60_000;
/** Calls that nobody waits for. */
const PRIORITY = 'background';

/** Empties, once a day, what is due in the trash of each project that programs of this mount have looked into. */
export class DueTrash {
  readonly #tree: Tree;
  readonly #days: number;
  readonly #closed = sharedAbortController();
  /** The day on which each project was last dealt with. */
  readonly #done = new Map<string, string>();

  constructor(tree: Tree, days: number) {
    this.#tree = tree;
    this.#days = days;
  }

  begin(): void {
    void this.#loop();
  }

  close(): void {
    this.#closed.abort();
  }

  async #loop(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await this.#tree.clock.sleep(PERIOD_MS, signal).catch(() => undefined);
      for (const folder of this.#looked()) {
        if (signal.aborted) return;
        await this.#empty(folder, folder.project).catch((error: unknown) => {
          if (!isAbort(error) && !signal.aborted)
            this.#tree.recordError({ op: 'trash', path: `${pathOf(folder)}/${TRASH}` }, error);
        });
      }
    }
  }

  /** Projects whose details are known and that may be written to, with work left for today. */
  #looked(): readonly ProjectFolderNode[] {
    const today = dayOf(this.#tree.clock.now());
    return [...this.#tree.nodes.values()].filter(
      (node): node is ProjectFolderNode =>
        node.kind === 'project-folder' &&
        node.record === undefined &&
        node.project.record?.permissions.write === true &&
        this.#done.get(node.project.id) !== today,
    );
  }

  async #empty(folder: ProjectFolderNode, { id, record }: Project): Promise<void> {
    if (!record) return;
    const { api, clock, jobs } = this.#tree;
    const { signal } = this.#closed;
    const nowMs = clock.now();
    // A failure is not tried again before tomorrow.
    this.#done.set(id, dayOf(nowMs));
    const days = await daysInTrash(api.files, record.rootFolder, { signal, priority: PRIORITY });
    const due = daysOlderThan(days, this.#days * DAY_MS, nowMs);
    if (due.length === 0) return;
    const path = `${pathOf(folder)}/${TRASH}`;
    await jobs.delete({ ids: due.map((each) => each.id), path }, { signal });
    this.#tree.invalidate(folder, TRASH);
    this.#tree.log.info({ path, days: due.map(({ day }) => day) }, 'trash emptied');
  }
}
