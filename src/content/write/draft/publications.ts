import type { FileRecord } from '../../../api/model.ts';
import { untilAborted } from '../../../lib/until-aborted.ts';
import { ContentError } from '../../ports.ts';
import { ReleasedError } from '../spool/refuse-released.ts';

export interface PublicationsOptions {
  /** The draft's count of changes. */
  readonly changes: () => number;
  /** Makes a file of the draft. */
  readonly publish: () => Promise<FileRecord>;
  /** Before a publication takes its count: what is being written when it is asked for is part of it. */
  readonly settled: () => Promise<void>;
  readonly onBegin: () => void;
  /** `isLast`: no other one waits. */
  readonly onEnd: (end: { readonly isDone: boolean; readonly isLast: boolean }) => void;
}

interface Publication {
  /** The count of changes that it covers; undefined while it has not begun: then it covers all until it does. */
  changes: number | undefined;
  readonly done: Promise<FileRecord>;
}

/**
 * The publications of one draft, one after the other. A request joins the running publication when that covers every
 * change.
 */
export class Publications {
  readonly #options: PublicationsOptions;
  #last: Publication | undefined;

  constructor(options: PublicationsOptions) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#last !== undefined;
  }

  /** One that covers every change so far. */
  ask(): Promise<FileRecord> {
    const changes = this.#options.changes();
    const last = this.#last;
    const isCovered = last !== undefined && (last.changes ?? changes) === changes;
    return (isCovered ? last : this.#begin(last)).done;
  }

  /** Settles, without a failure, when all have ended that were asked for. */
  async ended(): Promise<void> {
    await this.#last?.done.catch(() => {});
  }

  /**
   * The version that a draft builds on may disappear once a file was made of the draft. The bytes are in the new file as
   * soon as the service has answered. The same holds for bytes that the spool let go of.
   */
  async orOnceMade<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isInFileOnceMade(error)) throw error;
      await untilAborted(this.ended(), signal);
      return await work();
    }
  }

  #begin(before: Publication | undefined): Publication {
    const publication: Publication = {
      changes: undefined,
      done: this.#publishAfter(before, () => {
        publication.changes = this.#options.changes();
      }),
    };
    this.#last = publication;
    publication.done.then(
      () => this.#finished(publication, true),
      () => this.#finished(publication, false),
    );
    return publication;
  }

  async #publishAfter(before: Publication | undefined, takeCount: () => void): Promise<FileRecord> {
    const { settled, onBegin, publish } = this.#options;
    await before?.done.catch(() => {});
    await settled();
    takeCount();
    onBegin();
    return publish();
  }

  #finished(publication: Publication, isDone: boolean): void {
    const isLast = this.#last === publication;
    if (isLast) this.#last = undefined;
    this.#options.onEnd({ isDone, isLast });
  }
}

function isInFileOnceMade(error: unknown): boolean {
  return error instanceof ReleasedError || (error instanceof ContentError && error.kind === 'changed');
}
