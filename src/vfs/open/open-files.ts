/**
 * Open files: handles, reading, writing, and when what was written goes to the platform.
 *
 * A file is read by the version that is published, until someone writes: then all handles of the inode see its draft
 * (`FileContent`). Writing changes the draft only; FLUSH, RELEASE and SETATTR decide when it is published
 * (`flush-rule.ts`), and `Publisher` how.
 *
 * The kernel may keep its pages over opens: a node has one content, ours or one that the platform has told of, and
 * another content is another node (`node.ts`). Of an alias the platform tells nothing: its store is asked at each open.
 */
import type { FileRecord } from '../../api/model.ts';
import { sameVersion } from '../../content/content-version.ts';
import type { Draft } from '../../content/ports.ts';
import type { ProcessTable } from '../../lib/process-table.ts';
import type { ClosedFiles } from '../closed/closed-files.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { FileHandle, OpenReply, ReadReply, RequestContext } from '../file-system.ts';
import type { ContentNode, FileContent, OpenFile } from '../model/file-content.ts';
import { HandleTable } from '../model/handle-table.ts';
import { lacksSize } from '../model/identity.ts';
import type { Node, VirtualFileNode } from '../model/node.ts';
import { isAlias, isDirectory, isLink, pathOf, sizeOf } from '../model/node.ts';
import type { FileNode, OpenFiles, Place, Span } from '../model/operations.ts';
import { transferSourceOf } from '../model/transfer-ends.ts';
import type { Tree } from '../model/tree.ts';
import { versionOf } from '../model/version-of.ts';
import { requireNoAlias, requireWritable } from '../model/write-access.ts';
import type { OpenMode } from '../open-flags.ts';
import { openModeOf } from '../open-flags.ts';
import type { Contents } from './contents.ts';
import { existingFile } from './existing-file.ts';
import { flushAction } from './flush-rule.ts';
import { newFile } from './new-file.ts';
import { readaheadFor } from './readahead-for.ts';
import { requireFits } from './require-fits.ts';

/** An open virtual file: its text as it was at open. */
interface OpenText {
  readonly kind: 'text';
  readonly node: VirtualFileNode;
  readonly bytes: Uint8Array;
}

type Open = OpenFile | OpenText;

/** fallocate(2) modes; the constant is Linux's. */
const FALLOC_FL_KEEP_SIZE = 1;

export interface OpenFilesParts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly closedFiles: ClosedFiles;
  readonly processes: ProcessTable;
}

export class PlatformOpenFiles implements OpenFiles {
  readonly #tree: Tree;
  readonly #contents: Contents;
  readonly #closedFiles: ClosedFiles;
  readonly #processes: ProcessTable;
  readonly #handles = new HandleTable<Open>();

  constructor({ tree, contents, closedFiles, processes }: OpenFilesParts) {
    this.#tree = tree;
    this.#contents = contents;
    this.#closedFiles = closedFiles;
    this.#processes = processes;
  }

  nodeOf(handle: FileHandle): FileNode {
    const open = this.#handles.get(handle);
    return open.kind === 'text' ? open.node : open.content.node;
  }

  open(node: FileNode, flags: number, context: RequestContext): Promise<OpenReply> {
    const mode = openModeOf(flags);
    if (node.kind === 'virtual-file') return this.#openText(node, mode);
    return this.#openFile(node, mode, context);
  }

  async create(
    place: Place,
    how: { readonly mode: number; readonly flags: number },
    context: RequestContext,
  ): Promise<{ readonly node: Node; readonly open: OpenReply }> {
    const mode = openModeOf(how.flags);
    const there = await existingFile(this.#tree, place, mode, context.signal);
    if (there) return { node: there, open: await this.#openThere(there, mode, context) };
    const wanted = { ...place, mode: how.mode, by: context, exclusive: mode.exclusive, isWhole: false };
    const node = await newFile(this.#tree, this.#contents, wanted, context.signal);
    const emptyAlready = { ...mode, truncate: false };
    return { node, open: this.#add(this.#contents.of(node), emptyAlready, context) };
  }

  read(span: Span, sizeBytes: number, context: RequestContext): ReadReply | Promise<ReadReply> {
    const open = this.#handles.get(span.handle);
    if (open.kind === 'text') return { chunks: [open.bytes.subarray(span.offset, span.offset + sizeBytes)] };
    const { node } = open.content;
    if (node.draft) return this.#readDraft(node, node.draft, [span, sizeBytes, context]);
    const reply = this.#viewOf(open).read(span.offset, sizeBytes, context);
    return reply instanceof Promise ? this.#doubtingWhatIsGone(reply, node) : reply;
  }

  async write(span: Span, data: Uint8Array, context: RequestContext): Promise<number> {
    const { content } = this.#writable(span.handle);
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
    );
  }

  async flush(handle: FileHandle, context: RequestContext): Promise<void> {
    const open = this.#handles.get(handle);
    if (open.kind === 'text' || !open.mode.write || open.content.unlinked) return;
    const { content } = open;
    if (content.outstanding === 'none') return;
    // An empty file takes the same way as bytes; said here, or `touch` would not know.
    if (content.unpublished === 'begun') this.#contents.requireByteWrites(content);
    const [byOpener, end] = await Promise.all([
      this.#isOpener(open, context.pid),
      this.#processes.endOf(context.pid),
    ]);
    const { onKilled } = this.#tree.options;
    if (end === 'kill' && byOpener && onKilled === 'recover')
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

  async fsync(handle: FileHandle, _dataOnly: boolean, context: RequestContext): Promise<void> {
    const open = this.#handles.get(handle);
    if (open.kind === 'file') await this.#contents.sync(open.content, context.signal);
  }

  async release(handle: FileHandle): Promise<void> {
    const open = this.#handles.get(handle);
    this.#handles.delete(handle);
    if (open.kind === 'text') return;
    const { content } = open;
    content.released(open);
    open.view?.close();
    // What its writer was refused is not published all the same because somebody else has it open.
    const isUnheard = open.mode.write && content.writers === 0 && !content.hopeless;
    const settled =
      content.handles.size === 0
        ? this.#closedFiles.released(content)
        : isUnheard && this.#closedFiles.publishUnheard(content);
    // The kernel holds read-ahead back when too many of these wait.
    if (!this.#tree.options.writeBack && !content.isHeldUp) await settled;
  }

  lseek(span: Span, whence: 'data' | 'hole'): number {
    const sizeBytes = this.#sizeOf(this.#handles.get(span.handle));
    // ENXIO would say that nothing but a hole follows.
    if (sizeBytes === undefined) throw new FsError('EIO', 'the size of the file is not known');
    if (span.offset >= sizeBytes) throw new FsError('ENXIO', 'no data at or after this offset');
    return whence === 'data' ? span.offset : sizeBytes;
  }

  async fallocate(
    span: Span,
    how: { readonly mode: number; readonly length: number },
    context: RequestContext,
  ): Promise<void> {
    const open = this.#writable(span.handle);
    if (how.mode === FALLOC_FL_KEEP_SIZE) return;
    if (how.mode !== 0)
      throw new FsError('EOPNOTSUPP', 'the platform keeps no holes: only plain allocation is possible');
    const end = span.offset + how.length;
    if (end > (this.#sizeOf(open) ?? 0)) await this.#resize(open.content, end, context);
  }

  async copyFileRange(
    from: Span,
    to: Span,
    how: { readonly length: number; readonly context: RequestContext },
  ): Promise<number> {
    const source = this.#handles.get(from.handle);
    const { content } = this.#writable(to.handle);
    // Its bytes could not be written instead, while it is not uploaded.
    if (source.kind === 'file' && !this.#contents.takesBytes(content))
      await this.#contents.publishClosed(source.content.node, how.context.signal);
    const version = source.kind === 'file' ? publishedVersion(source.content) : undefined;
    if (source.kind === 'text' || !version || source.content === content)
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
    return length;
  }

  async truncate(
    node: FileNode,
    sizeBytes: number,
    how: { readonly handle: FileHandle | undefined; readonly context: RequestContext },
  ): Promise<void> {
    requireWritable(this.#tree, node);
    if (node.kind === 'virtual-file') return;
    const { signal } = how.context;
    // What a close acknowledged must not be lost to a change that fails.
    if (how.handle === undefined) await this.#contents.publishClosed(node, signal);
    // As for who opens it: what is kept is of what has the name now.
    if (how.handle === undefined && !node.draft) await this.#tree.revalidate(node, signal);
    requireNoAlias(this.#tree, node);
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

  close(): void {
    this.#closedFiles.close();
  }

  async #openText(node: VirtualFileNode, mode: OpenMode): Promise<OpenReply> {
    if (mode.write) throw new FsError('EACCES', `${node.name} is made by the file system`);
    const bytes = Buffer.from(await node.content());
    return { handle: this.#handles.add({ kind: 'text', node, bytes }), keepCache: false, directIo: true };
  }

  /** Someone else made the file after the kernel found that there is none. */
  async #openThere(node: Node, mode: OpenMode, context: RequestContext): Promise<OpenReply> {
    if (mode.exclusive) throw new FsError('EEXIST', `${node.name} exists`);
    if (isDirectory(node)) throw new FsError('EISDIR', `${node.name} is a directory`);
    // The kernel looks the name up again, and follows it.
    if (isLink(node)) throw new FsError('ESTALE', `${node.name} is a symbolic link by now`);
    if (node.kind === 'special-file') throw new FsError('ESTALE', `${node.name} is a ${node.type} by now`);
    return node.kind === 'virtual-file' ? this.#openText(node, mode) : this.#openFile(node, mode, context);
  }

  async #openFile(node: ContentNode, mode: OpenMode, context: RequestContext): Promise<OpenReply> {
    const changes = mode.write || mode.truncate;
    if (changes) requireWritable(this.#tree, node);
    // Before anything is waited for: a rename over an open file keeps its content for the handle.
    const take = (content: FileContent): OpenReply => this.#add(content, mode, context);
    const reply = await this.#contents.forOpen(node, mode, { take, signal: context.signal });
    const content = this.#contents.of(node);
    try {
      // While we have a draft, ours is the content that counts.
      const prepare = mode.write ? undefined : () => this.#prepare(content, reply.handle);
      if (!node.draft) await this.#tree.revalidate(node, context.signal, { prepare });
      if (changes) requireNoAlias(this.#tree, node);
      const keepCache = mode.truncate || (await this.#isUnchanged(content, reply.handle, context.signal));
      if (mode.truncate) await this.#empty(content, reply.handle, context.signal);
      return { ...reply, keepCache };
    } catch (error) {
      await this.release(reply.handle);
      throw error;
    }
  }

  /** As O_TRUNC has it. */
  async #empty(content: FileContent, handle: FileHandle, signal: AbortSignal): Promise<void> {
    await this.#contents.change(content, () => this.#contents.empty(content, signal), signal);
    const open = this.#handles.get(handle);
    if (open.kind === 'file') open.truncates = false;
  }

  /** While the platform is asked about a file that is opened to be read, so is what the first read waits for. */
  #prepare({ node }: FileContent, handle: FileHandle): Promise<FileRecord> | undefined {
    const open = this.#handles.get(handle);
    return open.kind === 'file' && !lacksSize(node) && versionOf(node)
      ? this.#viewOf(open).prepare()
      : undefined;
  }

  /**
   * Whether the kernel's pages hold what the node's content is: always, but for an alias. Its object is asked for; ESTALE when that
   * is another, so that the kernel finds the node of the new one.
   */
  async #isUnchanged({ node }: FileContent, handle: FileHandle, signal: AbortSignal): Promise<boolean> {
    const open = this.#handles.get(handle);
    if (open.kind === 'text' || !isAlias(node) || node.draft) return true;
    const before = node.object?.etag;
    const object = await this.#viewOf(open).inspect(signal);
    if (!node.draft) this.#tree.learnObject(node, object);
    return before !== undefined;
  }

  /** A publication on a volume takes the draft away when the object has its bytes: whoever is still reading it reads that. */
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

  #add(content: FileContent, mode: OpenMode, context: RequestContext): OpenReply {
    const opener = mode.write ? this.#processes.processOf(context.pid) : Promise.resolve(undefined);
    const open: OpenFile = {
      kind: 'file',
      content,
      mode,
      openedBy: context.pid,
      opener,
      truncates: mode.truncate,
      view: undefined,
    };
    content.handles.add(open);
    const readaheadBytes = readaheadFor(content.node.name);
    return { handle: this.#handles.add(open), keepCache: true, directIo: false, readaheadBytes };
  }

  /** The view of what is published now: our own publication makes another version under an open handle. */
  #viewOf(open: OpenFile): NonNullable<OpenFile['view']> {
    const { node } = open.content;
    const before = open.view;
    const version = versionOf(node);
    if (!version) throw new FsError('EIO', `${node.name} has no content`);
    if (before && sameVersion(before.version, version)) return before;
    open.view = this.#tree.reader.open(version);
    before?.close();
    return open.view;
  }

  #writable(handle: FileHandle): OpenFile {
    const open = this.#handles.get(handle);
    if (open.kind === 'text' || !open.mode.write)
      throw new FsError('EBADF', `handle ${handle} is not open for writing`);
    return open;
  }

  #sizeOf(open: Open): number | undefined {
    return open.kind === 'text' ? open.bytes.length : sizeOf(open.content.node);
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

  /** A process that cannot be known, because it has ended or is the kernel itself, counts as the opener. */
  async #isOpener(open: OpenFile, thread: number): Promise<boolean> {
    if (thread === open.openedBy) return true;
    const [opener, closer] = await Promise.all([open.opener, this.#processes.processOf(thread)]);
    return opener === undefined || closer === undefined || opener === closer;
  }
}

/** The version that the platform could copy: none while there are changes it has not seen. */
function publishedVersion(content: FileContent): ReturnType<typeof versionOf> {
  return content.outstanding === 'none' ? versionOf(content.node) : undefined;
}
