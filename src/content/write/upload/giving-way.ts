import { sharedAbortController } from '../../../lib/shared-signals.ts';
import { untilAborted } from '../../../lib/until-aborted.ts';
import { ContentError } from '../../ports.ts';

/** Has an upload stop for who asks for it. */
export class GivingWay {
  #asking = 0;
  #stop = sharedAbortController();

  /** Answers what ends that, to be called once. */
  ask(): () => void {
    this.#asking += 1;
    this.#stop.abort(new ContentError('gave-way', 'the upload has stopped, for the file is being removed'));
    return () => {
      this.#asking -= 1;
      if (this.#asking === 0) this.#stop = sharedAbortController();
    };
  }

  /** Waits for `work`, or rejects while somebody asks; it goes on then. */
  unlessAsked<T>(work: Promise<T>): Promise<T> {
    return untilAborted(work, this.#stop.signal);
  }
}
