/** Changes of the bytes of open files, and of a file's size without a handle. They change the draft only. */
import { OBJECT_SIZE_MAX } from '../../contract/limits.ts';
import type { ClosedFiles } from '../closed/closed-files.ts';
import { FsError } from '../errors/fs-error.ts';
import type { FileHandle, RequestContext } from '../file-system.ts';
import type { FileContent } from '../model/file-content.ts';
import { pathOf, sizeOf } from '../model/node.ts';
import type { FileNode, Span } from '../model/operations.ts';
import { requireOverwrites } from '../model/protection.ts';
import { transferSourceOf } from '../model/transfer-ends.ts';
import type { Tree } from '../model/tree.ts';
import { versionOf } from '../model/version-of.ts';
import { requireNoAlias, requireWritable } from '../model/write-access.ts';
import type { Contents } from './contents.ts';
import type { Copiers } from './copiers.ts';
import type { OpenHandles } from './open-handles.ts';

/** fallocate(2) modes; the constant is Linux's. */
const FALLOC_FL_KEEP_SIZE = 1;

export interface WritingParts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly closedFiles: ClosedFiles;
  readonly handles: OpenHandles;
  readonly copiers: Copiers;
}

export class Writing {
  readonly #tree: Tree;
  readonly #contents: Contents;
  readonly #closedFiles: ClosedFiles;
  readonly #handles: OpenHandles;
  readonly #copiers: Copiers;

  constructor({ tree, contents, closedFiles, handles, copiers }: WritingParts) {
    this.#tree = tree;
    this.#contents = contents;
    this.#closedFiles = closedFiles;
    this.#handles = handles;
    this.#copiers = copiers;
  }

  async write(span: Span, data: Uint8Array, context: RequestContext): Promise<number> {
    const { content } = this.#handles.writable(span.handle);
    this.#contents.requireByteWrites(content);
    requireFits(span.offset + data.length);
    return this.#contents.change(
      content,
      async () => {
        const draft = await this.#contents.draft(content);
        const wasPublished = content.outstanding === 'none';
        // Before the bytes are in: a FLUSH that overtakes us must not take the draft for published.
        content.unpublished = 'written';
        try {
          const taken = await draft.write(span.offset, data, context.signal);
          content.touch(this.#tree.clock.now());
          return taken;
        } finally {
          // A publication that ended meanwhile did not have them, and took the draft for published.
          if (draft.dirty) content.unpublished = 'written';
          // Nothing was written: no new file is to be made of what is there.
          else if (wasPublished) content.unpublished = 'none';
        }
      },
      context.signal,
      span.offset,
    );
  }

  async fallocate(
    span: Span,
    how: { readonly mode: number; readonly length: number },
    context: RequestContext,
  ): Promise<void> {
    const open = this.#handles.writable(span.handle);
    if (how.mode === FALLOC_FL_KEEP_SIZE) return;
    if (how.mode !== 0)
      throw new FsError('EOPNOTSUPP', 'the platform keeps no holes: only plain allocation is possible');
    const end = span.offset + how.length;
    if (end > (sizeOf(open.content.node) ?? 0)) await this.#resize(open.content, end, context);
  }

  async copyFileRange(
    from: Span,
    to: Span,
    how: { readonly length: number; readonly context: RequestContext },
  ): Promise<number> {
    const source = this.#handles.get(from.handle);
    const { content } = this.#handles.writable(to.handle);
    // Its bytes could not be written instead, while it is not uploaded.
    if (!this.#contents.takesBytes(content))
      await this.#contents.publishClosed(source.content.node, how.context.signal);
    const version = publishedVersion(source.content);
    if (!version || source.content === content)
      throw new FsError(
        'EXDEV',
        'the platform has nothing it could copy from: the bytes are read and written',
      );
    const length = Math.min(how.length, version.sizeBytes - from.offset);
    if (length <= 0) return 0;
    requireFits(to.offset + length);
    const { node } = source.content;
    const copy = async (): Promise<void> => {
      const draft = await this.#contents.draft(content);
      await draft.copyFrom(version, from.offset, { offset: to.offset, length }, how.context.signal);
      content.copiedFrom = { version, source: transferSourceOf(node), path: pathOf(node) };
      content.unpublished = 'written';
      content.touch(this.#tree.clock.now());
    };
    await this.#contents.change(content, copy, how.context.signal);
    this.#copiers.copied(how.context.pid);
    return length;
  }

  async truncate(
    node: FileNode,
    sizeBytes: number,
    how: { readonly handle: FileHandle | undefined; readonly context: RequestContext },
  ): Promise<void> {
    requireWritable(this.#tree, node);
    const { signal } = how.context;
    // Bytes that a close acknowledged must not be lost to a change that fails.
    if (how.handle === undefined) await this.#contents.publishClosed(node, signal);
    // As at an open: the kept part is that of the file that has the name now.
    if (how.handle === undefined && !node.draft) await this.#tree.revalidate(node, signal);
    requireNoAlias(this.#tree, node);
    if (how.handle === undefined && !node.draft) requireOverwrites(this.#tree, node);
    const resize = async (content: FileContent): Promise<void> => {
      try {
        await this.#resize(content, sizeBytes, how.context);
        if (how.handle === undefined && content.writers === 0) await this.#contents.publish(content, signal);
      } finally {
        // As after a close: a refused draft is let go of. A caller that interrupts does not wait for that.
        const settled = content.handles.size === 0 ? this.#closedFiles.settle(content) : undefined;
        if (!signal.aborted) await settled;
      }
    };
    if (how.handle !== undefined) return resize(this.#contents.of(node));
    await this.#contents.forOpen(node, { write: true, truncate: true }, { take: resize, signal });
  }

  async #resize(content: FileContent, sizeBytes: number, context: RequestContext): Promise<void> {
    const { node } = content;
    if (sizeOf(node) === sizeBytes) return;
    this.#contents.requireByteWrites(content);
    requireFits(sizeBytes);
    const resize = async (): Promise<void> => {
      if (sizeBytes === 0) await this.#contents.empty(content, context.signal);
      else await (await this.#contents.draft(content)).truncate(sizeBytes, context.signal);
      content.unpublished = 'written';
      content.touch(this.#tree.clock.now());
    };
    await this.#contents.change(content, resize, context.signal);
  }
}

/** The version that the platform could copy: none while there are changes it has not seen. */
function publishedVersion(content: FileContent): ReturnType<typeof versionOf> {
  return content.outstanding === 'none' ? versionOf(content.node) : undefined;
}

/** EFBIG for a file that would be larger than the platform takes one: it would say so when all of it was sent. */
function requireFits(sizeBytes: number): void {
  if (sizeBytes > OBJECT_SIZE_MAX) throw new FsError('EFBIG', 'the platform takes files of at most 5 TiB');
}
