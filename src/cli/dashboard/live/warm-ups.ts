import { messageOf } from '../../../lib/message-of.ts';
import type { SvcfsMount } from '../../mount/require-mount.ts';
import type { WarmUpView } from '../page-model.ts';
import type { Mounts } from './mounts.ts';

interface WarmUp {
  readonly mountPoint: string;
  readonly stop: AbortController;
  view: WarmUpView;
}

/** Of those that are over, so many are shown still. */
const MOST_OVER = 10;

/** Folders that are being brought into disk caches for a page. They go on while no page is open, and end with the command. */
export class WarmUps {
  readonly #mounts: Mounts;
  #all: readonly WarmUp[] = [];

  constructor(mounts: Mounts) {
    this.#mounts = mounts;
  }

  /** Newest first. */
  of({ mountPoint }: SvcfsMount): readonly WarmUpView[] {
    return this.#all.filter((each) => each.mountPoint === mountPoint).map(({ view }) => view);
  }

  /** `path` begins at the top of the mount. */
  start(mount: SvcfsMount, path: string): void {
    const { mountPoint } = mount;
    if (this.#running(mount, path) !== undefined) throw new Error(`${path}: is being fetched already`);
    const view: WarmUpView = { path, state: 'running', progress: undefined, failures: [], failed: 0 };
    const warmUp: WarmUp = { mountPoint, view, stop: new AbortController() };
    const others = this.#all.filter((each) => each.view.path !== path || each.mountPoint !== mountPoint);
    const over = others.filter(({ view: { state } }) => state !== 'running').slice(0, MOST_OVER);
    this.#all = [warmUp, ...others.filter((each) => each.view.state === 'running' || over.includes(each))];
    void this.#run(mount, warmUp);
  }

  stop(mount: SvcfsMount, path: string): void {
    this.#running(mount, path)?.stop.abort();
  }

  #running({ mountPoint }: SvcfsMount, path: string): WarmUp | undefined {
    return this.#all.find(
      ({ mountPoint: where, view }) => where === mountPoint && view.path === path && view.state === 'running',
    );
  }

  async #run(mount: SvcfsMount, warmUp: WarmUp): Promise<void> {
    const { path } = warmUp.view;
    const learn = (part: Partial<WarmUpView>): void => {
      warmUp.view = { ...warmUp.view, ...part };
    };
    try {
      for await (const said of this.#mounts.warmUp(mount, path, warmUp.stop.signal)) {
        if (said.answer === 'failed') throw new Error(said.message);
        if (said.answer === 'warming') learn({ progress: said.progress });
        if (said.answer !== 'warmup') continue;
        const { progress, failures, failed } = said.result;
        learn({ state: failed === 0 ? 'done' : 'failed', progress, failures, failed });
        return;
      }
      throw new Error('the process of the mount does not answer');
    } catch (error) {
      if (warmUp.stop.signal.aborted) learn({ state: 'stopped' });
      else learn({ state: 'failed', failures: [{ path, reason: messageOf(error) }], failed: 1 });
    }
  }
}
