/**
 * Reading. A file is read by the version that is published, until someone writes: then all handles of the inode read its
 * draft.
 */
import { sameVersion } from '../../content/content-version.ts';
import type { Draft } from '../../content/ports.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { ReadReply, RequestContext } from '../file-system.ts';
import type { ContentNode, OpenFile } from '../model/file-content.ts';
import { sizeOf } from '../model/node.ts';
import type { OpenFiles, Span } from '../model/operations.ts';
import type { Tree } from '../model/tree.ts';
import { versionOf } from '../model/version-of.ts';
import type { OpenHandles } from './open-handles.ts';

export class Reading {
  readonly #tree: Tree;
  readonly #handles: OpenHandles;

  constructor(tree: Tree, handles: OpenHandles) {
    this.#tree = tree;
    this.#handles = handles;
  }

  read(span: Span, sizeBytes: number, context: RequestContext): ReadReply | Promise<ReadReply> {
    const open = this.#handles.get(span.handle);
    const { node } = open.content;
    if (node.draft) return this.#readDraft(node, node.draft, [span, sizeBytes, context]);
    const reply = this.viewOf(open).read(span.offset, sizeBytes, context);
    return reply instanceof Promise ? this.#doubtingWhatIsGone(reply, node) : reply;
  }

  lseek(span: Span, whence: 'data' | 'hole'): number {
    const sizeBytes = sizeOf(this.#handles.get(span.handle).content.node);
    // ENXIO would say that nothing but a hole follows.
    if (sizeBytes === undefined) throw new FsError('EIO', 'the size of the file is not known');
    if (span.offset >= sizeBytes) throw new FsError('ENXIO', 'no data at or after this offset');
    return whence === 'data' ? span.offset : sizeBytes;
  }

  /** The view of what is published now: our own publication makes another version under an open handle. */
  viewOf(open: OpenFile): NonNullable<OpenFile['view']> {
    const { node } = open.content;
    const before = open.view;
    const version = versionOf(node);
    if (!version) throw new FsError('EIO', `${node.name} has no content`);
    if (before && sameVersion(before.version, version)) return before;
    open.view = this.#tree.reader.open(version);
    before?.close();
    return open.view;
  }

  /**
   * A publication on a volume takes the draft away when the object has its bytes: a read under way goes on from the
   * object.
   */
  async #readDraft(node: ContentNode, draft: Draft, read: Parameters<OpenFiles['read']>): Promise<ReadReply> {
    const [{ offset }, sizeBytes, { signal }] = read;
    try {
      return await draft.read(offset, sizeBytes, signal);
    } catch (error) {
      if (node.draft === draft || signal.aborted) throw error;
      return this.read(...read);
    }
  }

  /** The bytes are gone or others, and the file is too, however fresh its facts are. The next open asks for it. */
  async #doubtingWhatIsGone(reading: Promise<ReadReply>, node: ContentNode): Promise<ReadReply> {
    try {
      return await reading;
    } catch (error) {
      if (errnoOf(error) === 'ESTALE') this.#tree.doubt(node);
      throw error;
    }
  }
}
