import type { ApiError } from '../../api/errors.ts';
import { backoffMs } from '../../lib/backoff.ts';
import type { Errno } from '../../lib/errno.ts';
import { messageOf } from '../../lib/message-of.ts';
import { sharedAbortController } from '../../lib/shared-signals.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import { FileContent } from '../model/file-content.ts';
import type { Tree } from '../model/tree.ts';
import { moveAbove } from '../publish/learn-place.ts';
import { isWholeHere, type Publisher } from '../publish/publisher.ts';
import { keptAside } from './give-up.ts';
import type { RecoveredUpload } from './recovered-upload.ts';
import { stillHere } from './still-here.ts';
import { UploadTurns } from './upload-turns.ts';

/** A program that has the file open for writing may be done soon after. The wait for it takes at most so long in all. */
const WRITER_MS = 1000;
const LONGEST_WRITER_MS = 60_000;

/** A change soon after the close of a file goes with its upload. That waits for it at most so many times `foldMs`. */
const MOST_FOLDS = 2;

/** Between tries of what was closed already. */
const RETRY = { baseMs: 1000, capMs: 60_000 };

/** Uploads that follow a close (write-back), or the mount that ended before them: nobody waits for them who could be told that one failed. */
export class FollowingUploads {
  readonly #tree: Tree;
  readonly #publisher: Publisher;
  readonly #turns: UploadTurns;
  /** Those that have not been tried, for something may be done to them. */
  readonly #waiting = new Set<FileContent>();
  /** Ends the pauses between tries. */
  #pauses = sharedAbortController();
  #isLastTry = false;

  constructor(tree: Tree, publisher: Publisher) {
    this.#tree = tree;
    this.#publisher = publisher;
    this.#turns = new UploadTurns(tree.clock);
  }

  /**
   * Whether the upload may follow a close. A close waits for a copy by the platform, since its source may go away. A
   * close also waits for a draft that builds on more bytes than the spool has room for, or whose spool had to let some
   * go.
   */
  mayFollow({ node }: FileContent): boolean {
    if (!this.#tree.options.writeBack) return false;
    if (!this.#publisher.targets.takesBytes(node) || this.#publisher.targets.isTemporary(node)) return false;
    const { draft } = node;
    return draft === undefined || isWholeHere(draft);
  }

  /** A file was closed, and is to be uploaded. */
  closed(): void {
    this.#turns.closed();
  }

  /** Whether a file is not uploaded yet for what may be done to it first. */
  isWaiting(content: FileContent): boolean {
    return this.#waiting.has(content);
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

  /**
   * Publishes a content that is owed. If that fails for good, its bytes are kept aside when the file is settled. Never
   * rejects for a failed try.
   */
  async follow(content: FileContent): Promise<void> {
    // Emptied to be written, it is published by a close after that, or its last.
    const isBegun = (): boolean => content.outstanding === 'begun' && content.writers > 0;
    // A rename may have given it a name of a moment since: it stays here for that.
    const isOwed = (): boolean =>
      content.owed && !isBegun() && !this.#publisher.targets.isTemporary(content.node);
    const once = async (): Promise<void> => {
      await moveAbove(content.node);
      // Not in its turn: a writer of the file may be waiting for room that other uploads make.
      await content.lock.run(async () => undefined);
      await this.#turns.run(async () => {
        if (!content.lock.busy) await this.#publisher.publishInTurn(content, isOwed);
      }, content.node.draft?.sizeBytes);
    };
    await this.#untilQuiet(content, isOwed);
    for (;;) {
      await this.#try(content, { isOwed: () => isOwed() && !content.unlinked, once });
      const { refused, keepBecause, node } = content;
      if (keepBecause) return node.draft?.stay();
      if (!refused) return;
      await node.draft?.refused({ reason: refused.message, atMs: this.#tree.clock.now() });
      // Else somebody asked for another try meanwhile.
      if (content.refused) return;
    }
  }

  /** A change that a program makes soon after a close comes before the upload, and costs no request then. */
  async #untilQuiet(content: FileContent, isOwed: () => boolean): Promise<void> {
    const pauses = this.#pauses.signal;
    const leftMs = (): number =>
      content.node.kind === 'volume-object' ? this.#exportInMs(content) : this.#uploadInMs(content);
    this.#waiting.add(content);
    while (isOwed() && !content.unlinked && leftMs() > 0 && !pauses.aborted && !this.#isLastTry)
      await this.#tree.clock.sleep(leftMs(), pauses).catch(() => undefined);
    this.#waiting.delete(content);
  }

  /** An object can be neither removed nor renamed. */
  #exportInMs({ closedMs, writers }: FileContent): number {
    const { options, clock } = this.#tree;
    const quietMs = closedMs + options.exportDelayMs - clock.elapsed();
    return writers > 0 && quietMs > -LONGEST_WRITER_MS ? WRITER_MS : quietMs;
  }

  /** A file that other writers wait for does not wait, nor does one whose parts are under way. */
  #uploadInMs({ closedMs, node }: FileContent): number {
    const { options, clock, writer } = this.#tree;
    const { foldMs, writeBack } = options;
    if (!writeBack || node.draft?.begun || writer.spool().waitingWrites > 0) return 0;
    const sinceCloseMs = clock.elapsed() - closedMs;
    const quietMs = Math.min(sinceCloseMs, clock.now() - (node.changedMs ?? 0));
    return Math.min(foldMs - quietMs, MOST_FOLDS * foldMs - sinceCloseMs);
  }

  /**
   * Finishes an upload of an ended mount. If that fails for good, its bytes are kept aside. Rejects only when keeping
   * them fails.
   */
  async bring(upload: RecoveredUpload): Promise<void> {
    const { path, owed } = upload;
    await this.#try(upload, {
      isOwed: () => !upload.isOver,
      once: () => this.#turns.run(() => upload.finish()),
    });
    if (upload.isOver) this.#tree.log.info({ path }, 'upload finished');
    if (upload.keepBecause)
      this.#tree.recordError(
        { op: 'close', path },
        await keptAside(owed, upload.keepBecause, this.#tree.clock.now()),
      );
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
        const isRefused = !mayPass(error);
        if (isRefused) refuse(upload, failedThoughAcknowledged(path, error));
        this.#tree.recordError({ op: 'close', path }, isRefused ? toldOf(upload, error) : error);
        if (this.#isLastTry || isRefused) return;
        await this.#tree.clock.sleep(backoffMs(failures, RETRY), this.#pauses.signal).catch(() => undefined);
      }
    }
  }
}

/**
 * A file that was refused keeps its place in the tree. It is kept aside when another file has its name on the platform or
 * is read here under that name, or when its folder is gone.
 */
function refuse(upload: FileContent | RecoveredUpload, because: FsError): void {
  const hasPlace =
    upload instanceof FileContent && !upload.replaces && !PLACE_IS_LOST.includes(because.errno);
  if (hasPlace && !upload.keepBecause) upload.refused = because;
  else upload.keepBecause ??= because;
}

const PLACE_IS_LOST: readonly Errno[] = ['EEXIST', 'ESTALE', 'ENOENT', 'ENOTDIR', 'EISDIR'];

function toldOf(upload: FileContent | RecoveredUpload, error: unknown): unknown {
  return upload instanceof FileContent ? (stillHere(upload) ?? error) : error;
}

/** This machine, the platform, the store or the way there are at fault: the same may succeed later. */
function mayPass(error: unknown): boolean {
  if (error instanceof Error && error.name === 'ApiError' && (error as ApiError).status === 401) return true;
  return ['EIO', 'ENOSPC', 'ENOMEM', 'ENFILE', 'EAGAIN', 'EBUSY'].includes(errnoOf(error));
}

/** close(2) answered that the bytes are safe. */
function failedThoughAcknowledged(path: string, error: unknown): FsError {
  const reason = messageOf(error);
  return new FsError(errnoOf(error), `${path} was closed, and cannot be published: ${reason}`, {
    cause: error,
  });
}
