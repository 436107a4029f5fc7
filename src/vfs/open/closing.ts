/**
 * FLUSH, FSYNC and RELEASE: they decide when a draft is published or made durable (`flush-rule.ts`), and `Publisher` how.
 */
import type { ClosedFiles } from '../closed/closed-files.ts';
import { FsError } from '../errors/fs-error.ts';
import type { FileHandle, RequestContext } from '../file-system.ts';
import type { Tree } from '../model/tree.ts';
import type { Contents } from './contents.ts';
import { flushAction } from './flush-rule.ts';
import type { OpenHandles } from './open-handles.ts';

export interface ClosingParts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly closedFiles: ClosedFiles;
  readonly handles: OpenHandles;
}

export class Closing {
  readonly #tree: Tree;
  readonly #contents: Contents;
  readonly #closedFiles: ClosedFiles;
  readonly #handles: OpenHandles;

  constructor({ tree, contents, closedFiles, handles }: ClosingParts) {
    this.#tree = tree;
    this.#contents = contents;
    this.#closedFiles = closedFiles;
    this.#handles = handles;
  }

  async flush(handle: FileHandle, context: RequestContext): Promise<void> {
    const open = this.#handles.get(handle);
    if (!open.mode.write || open.content.unlinked) return;
    const { content } = open;
    if (content.outstanding === 'none') return;
    // An empty file takes the same way as bytes; said here, or `touch` would not know.
    if (content.unpublished === 'begun') this.#contents.requireByteWrites(content);
    const [byOpener, end] = await Promise.all([
      this.#handles.isOpener(open, context.pid),
      this.#handles.endOf(context.pid),
    ]);
    const { onKilled } = this.#tree.options;
    // Half of a file that its program never got to rename is of no use under such a name.
    const isHalf = content.node.kind === 'project-file' && this.#contents.isTemporary(content.node);
    if (end === 'kill' && byOpener && (onKilled === 'recover' || isHalf))
      content.keepBecause = new FsError('EINTR', `the program that wrote ${content.node.name} was killed`);
    const action = flushAction({
      unpublished: content.outstanding,
      byOpener,
      exiting: end !== undefined,
      writeBack: this.#closedFiles.mayFollow(content),
    });
    switch (action) {
      case 'publish':
        return this.#contents.publish(content, context.signal);
      case 'follow':
      case 'commit':
        return this.#contents.commit(content, { follow: action === 'follow', signal: context.signal });
      case 'keep':
        return this.#contents.sync(content, context.signal);
      case 'nothing':
        return;
    }
  }

  async fsync(handle: FileHandle, context: RequestContext): Promise<void> {
    const open = this.#handles.get(handle);
    await this.#contents.sync(open.content, context.signal);
  }

  async release(handle: FileHandle): Promise<void> {
    const open = this.#handles.get(handle);
    this.#handles.delete(handle);
    const { content } = open;
    content.released(open);
    open.view?.close();
    // A content that was refused to its writer is not published, though somebody else has the file open.
    const isUnheard = open.mode.write && content.writers === 0 && !content.hopeless;
    const settled =
      content.handles.size === 0
        ? this.#closedFiles.released(content)
        : isUnheard && this.#closedFiles.publishUnheard(content);
    // The kernel holds read-ahead back when too many of these wait.
    if (!this.#tree.options.writeBack && !content.isHeldUp) await settled;
  }
}
