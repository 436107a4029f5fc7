/** open(2), with creation and O_TRUNC. */
import type { FileRecord } from '../../api/model.ts';
import { FsError } from '../errors/fs-error.ts';
import type { FileHandle, OpenReply, RequestContext } from '../file-system.ts';
import type { ContentNode, FileContent } from '../model/file-content.ts';
import { lacksSize } from '../model/identity.ts';
import type { Node } from '../model/node.ts';
import { isAlias, isDirectory, isLink } from '../model/node.ts';
import type { FileNode, Place } from '../model/operations.ts';
import { requireOverwrites } from '../model/protection.ts';
import type { Tree } from '../model/tree.ts';
import { versionOf } from '../model/version-of.ts';
import { requireNoAlias, requireWritable } from '../model/write-access.ts';
import type { OpenMode } from '../open-flags.ts';
import { openModeOf } from '../open-flags.ts';
import type { Closing } from './closing.ts';
import type { Contents } from './contents.ts';
import type { Copiers } from './copiers.ts';
import { newFile } from './new-file.ts';
import type { OpenHandles } from './open-handles.ts';
import { readaheadFor } from './readahead-for.ts';
import type { Reading } from './reading.ts';

export interface OpeningParts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly handles: OpenHandles;
  readonly reading: Reading;
  readonly closing: Closing;
  readonly copiers: Copiers;
}

export class Opening {
  readonly #tree: Tree;
  readonly #contents: Contents;
  readonly #handles: OpenHandles;
  readonly #reading: Reading;
  readonly #closing: Closing;
  readonly #copiers: Copiers;

  constructor({ tree, contents, handles, reading, closing, copiers }: OpeningParts) {
    this.#tree = tree;
    this.#contents = contents;
    this.#handles = handles;
    this.#reading = reading;
    this.#closing = closing;
    this.#copiers = copiers;
  }

  open(node: FileNode, flags: number, context: RequestContext): Promise<OpenReply> {
    const mode = openModeOf(flags);
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

  /** Someone else made the file after the kernel found that there is none. */
  async #openThere(node: Node, mode: OpenMode, context: RequestContext): Promise<OpenReply> {
    if (mode.exclusive) throw new FsError('EEXIST', `${node.name} exists`);
    if (isDirectory(node)) throw new FsError('EISDIR', `${node.name} is a directory`);
    // The kernel looks the name up again, and follows it.
    if (isLink(node)) throw new FsError('ESTALE', `${node.name} is a symbolic link by now`);
    if (node.kind === 'special-file') throw new FsError('ESTALE', `${node.name} is a ${node.type} by now`);
    return this.#openFile(node, mode, context);
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
      const toCopy = !changes && this.#copiers.takes(context.pid);
      const prepare = mode.write || toCopy ? undefined : () => this.#prepare(content, reply.handle);
      const how = { prepare, onlyLooks: !changes, toCopy };
      if (!node.draft) await this.#tree.revalidate(node, context.signal, how);
      if (changes) {
        requireNoAlias(this.#tree, node);
        if (!node.draft) requireOverwrites(this.#tree, node);
      }
      const keepCache = mode.truncate || (await this.#isUnchanged(content, reply.handle, context.signal));
      if (mode.truncate) await this.#empty(content, reply.handle, context.signal);
      return { ...reply, keepCache };
    } catch (error) {
      await this.#closing.release(reply.handle);
      throw error;
    }
  }

  /** As O_TRUNC has it. */
  async #empty(content: FileContent, handle: FileHandle, signal: AbortSignal): Promise<void> {
    await this.#contents.change(content, () => this.#contents.empty(content, signal), signal);
    this.#handles.get(handle).truncates = false;
  }

  /** While the platform is asked about a file that is opened to be read, so is what the first read waits for. */
  #prepare({ node }: FileContent, handle: FileHandle): Promise<FileRecord> | undefined {
    const open = this.#handles.get(handle);
    return !lacksSize(node) && versionOf(node) ? this.#reading.viewOf(open).prepare() : undefined;
  }

  /**
   * Whether the kernel's pages hold what the node's content is: always, but for an alias. Its object is asked for; ESTALE when that
   * is another, so that the kernel finds the node of the new one.
   */
  async #isUnchanged({ node }: FileContent, handle: FileHandle, signal: AbortSignal): Promise<boolean> {
    const open = this.#handles.get(handle);
    if (!isAlias(node) || node.draft) return true;
    const before = node.object?.etag;
    const object = await this.#reading.viewOf(open).inspect(signal);
    if (!node.draft) this.#tree.learnObject(node, object);
    return before !== undefined;
  }

  #add(content: FileContent, mode: OpenMode, { pid }: RequestContext): OpenReply {
    const handle = this.#handles.add(content, mode, pid);
    return { handle, keepCache: true, directIo: false, readaheadBytes: readaheadFor(content.node.name) };
  }
}

/** A caller that must not replace a file asks anew about an absence: another client's file might go otherwise. */
async function existingFile(
  tree: Tree,
  { parent, name }: Place,
  mode: OpenMode,
  signal: AbortSignal,
): Promise<Node | undefined> {
  const there = await tree.childOf(parent, name, signal);
  if (there || mode.truncate || mode.exclusive) return there;
  return tree.freshChildOf(parent, name, signal);
}
