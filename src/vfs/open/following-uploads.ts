import type { ApiError } from '../../api/errors.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { messageOf } from '../../lib/message-of.ts';
import { sharedAbortController } from '../../lib/shared-signals.ts';
import { errnoOf } from '../errno-of.ts';
import { FsError } from '../fs-error.ts';
import type { Tree } from '../tree.ts';
import type { FileContent } from './file-content.ts';
import { keptAside } from './give-up.ts';
import { moveAbove } from './learn-place.ts';
import type { Publisher } from './publisher.ts';
import type { RecoveredUpload } from './recovered-upload.ts';
import { UploadTurns } from './upload-turns.ts';

/** Between tries of what was closed already. */
const RETRY = { baseMs: 1000, capMs: 60_000 };

/** Uploads that follow a close (write-back), or the mount that ended before them: nobody waits for them who could be told that one failed. */
export class FollowingUploads {
  readonly #tree: Tree;
  readonly #publisher: Publisher;
  readonly #turns: UploadTurns;
  /** Ends the pauses between tries. */
  #pauses = sharedAbortController();
  #isLastTry = false;

  constructor(tree: Tree, publisher: Publisher) {
    this.#tree = tree;
    this.#publisher = publisher;
    this.#turns = new UploadTurns(tree.clock);
  }

  /**
   * Whether the upload may follow a close: what the platform copies itself is waited for, for its source may go away, and so
   * is what builds on more than the spool has room for, or of which the spool had to let some go.
   */
  mayFollow({ node }: FileContent): boolean {
    if (!this.#tree.options.writeBack || node.kind !== 'project-file') return false;
    const { draft } = node;
    return draft === undefined || (draft.wholeCopyOf() === undefined && draft.fits);
  }

  /** A file was closed, and is to be uploaded. */
  closed(): void {
    this.#turns.closed();
  }

  /** Those that wait for their next try make it now. */
  hurry(): void {
    this.#pauses.abort();
    this.#pauses = sharedAbortController();
  }

  /** As `hurry`, and what fails from now on is left to the next mount. */
  tryLast(): void {
    this.#isLastTry = true;
    this.hurry();
  }

  /** The mount goes on after all. */
  tryOn(): void {
    this.#isLastTry = false;
  }

  /** Publishes what is owed. What fails for good is kept aside when the file is settled. Never rejects for a failed try. */
  async follow(content: FileContent): Promise<void> {
    // Emptied to be written, it is published by a close after that, or its last.
    const isOwed = (): boolean => content.owed && (content.outstanding !== 'begun' || content.writers === 0);
    await this.#try(content, {
      isOwed: () => isOwed() && !content.unlinked,
      once: async () => {
        await moveAbove(content.node);
        // Not in its turn: who changes the file may be waiting for room that the uploads of others make.
        await content.lock.run(async () => undefined);
        await this.#turns.run(async () => {
          if (!content.lock.busy) await this.#publisher.publishInTurn(content, isOwed);
        }, content.node.draft?.sizeBytes);
      },
    });
    if (content.keepBecause) content.node.draft?.stay();
  }

  /** Does what an ended mount owed. What fails for good is kept aside. Rejects only when that fails. */
  async bring(upload: RecoveredUpload): Promise<void> {
    const { path, owed } = upload;
    await this.#try(upload, {
      isOwed: () => !upload.isOver,
      once: () => this.#turns.run(() => upload.finish()),
    });
    if (upload.isOver) this.#tree.log.info({ path }, 'upload finished');
    if (upload.keepBecause)
      this.#tree.recordError({ op: 'close', path }, await keptAside(owed, upload.keepBecause));
  }

  /** Until it is owed no more, refused for good, or left to the next mount. */
  async #try(
    upload: FileContent | RecoveredUpload,
    { isOwed, once }: { readonly isOwed: () => boolean; readonly once: () => Promise<void> },
  ): Promise<void> {
    for (let failures = 0; isOwed(); failures += 1) {
      try {
        await once();
        failures = 0;
      } catch (error) {
        const { path } = upload;
        if (!mayPass(error)) upload.keepBecause ??= failedThoughAcknowledged(path, error);
        this.#tree.recordError({ op: 'close', path }, error);
        if (this.#isLastTry || upload.keepBecause) return;
        await this.#tree.clock.sleep(backoffMs(failures, RETRY), this.#pauses.signal).catch(() => undefined);
      }
    }
  }
}

/** This machine, the platform, the store or the way there are at fault: the same may succeed later. */
function mayPass(error: unknown): boolean {
  if (error instanceof Error && error.name === 'ApiError' && (error as ApiError).status === 401) return true;
  return ['EIO', 'ENOSPC', 'ENOMEM', 'ENFILE', 'EAGAIN', 'EBUSY'].includes(errnoOf(error));
}

/** close(2) answered that the bytes are safe. */
function failedThoughAcknowledged(path: string, error: unknown): FsError {
  const reason = messageOf(error);
  return new FsError(errnoOf(error), `${path} was closed, and cannot be published: ${reason}`);
}
