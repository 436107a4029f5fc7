import type { Draft } from '../../content/ports.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import { forgetLocalFacts } from '../attributes/local-facts.ts';
import type { ClosedFiles } from '../closed/closed-files.ts';
import { isOfThisMachine } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { ContentTable } from '../model/content-table.ts';
import type { ContentNode, FileContent } from '../model/file-content.ts';
import type { DirectoryNode, ProjectFileNode } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';
import { requireNoAlias } from '../model/write-access.ts';
import type { OpenMode } from '../open-flags.ts';
import type { Publisher } from '../publish/publisher.ts';

/** How late the kernel may say that a file is closed: it holds that back while it has much else to say. */
const RELEASE_MS = 1000;

export interface ContentsParts {
  readonly tree: Tree;
  readonly publisher: Publisher;
  readonly table: ContentTable;
  readonly closedFiles: ClosedFiles;
}

/**
 * Work on the content of an inode while a caller waits: it is opened, changed, published, renamed, removed. Work that
 * was begun is finished in any case: an abort ends the waiting, and the rest is left to `ClosedFiles`.
 */
export class Contents {
  readonly #tree: Tree;
  readonly #publisher: Publisher;
  readonly #table: ContentTable;
  readonly #closedFiles: ClosedFiles;

  constructor({ tree, publisher, table, closedFiles }: ContentsParts) {
    this.#tree = tree;
    this.#publisher = publisher;
    this.#table = table;
    this.#closedFiles = closedFiles;
  }

  of(node: ContentNode): FileContent {
    return this.#table.of(node);
  }

  /** Undefined: neither open nor unpublished. */
  find(node: ContentNode): FileContent | undefined {
    return this.#table.find(node);
  }

  values(): IterableIterator<FileContent> {
    return this.#table.values();
  }

  /** Runs `task` while nothing else changes what these inodes are on the platform. */
  holding<T>(nodes: readonly ContentNode[], task: () => Promise<T>): Promise<T> {
    return this.#table.holding(nodes, task);
  }

  /** As `holding`, for a removal of the inode: its upload stops for that, and goes on if the name is still there. */
  async removing<T>(node: ContentNode, task: () => Promise<T>): Promise<T> {
    const goOn = this.find(node)?.givesWay ? node.draft?.giveWay() : undefined;
    return this.holding([node], () => task().finally(goOn));
  }

  async draft(content: FileContent): Promise<Draft> {
    // A handle for writing may have been opened before the file became an alias.
    requireNoAlias(this.#tree, content.node);
    return content.draft(this.#publisher.targets);
  }

  /** As O_TRUNC and creation have it: the draft is empty, and its publication begun. */
  async empty(content: FileContent, signal: AbortSignal): Promise<void> {
    requireNoAlias(this.#tree, content.node);
    const draft = await content.emptyDraft(this.#publisher.targets, signal);
    // Changes that were to be published before are gone, but not those that another program wrote since.
    if (draft.sizeBytes === 0) content.unpublished = 'begun';
    content.touch(this.#tree.clock.now());
  }

  /** False: only what the platform copies can be its content. */
  takesBytes({ node }: FileContent): boolean {
    return this.#publisher.targets.takesBytes(node);
  }

  requireByteWrites(content: FileContent): void {
    this.#publisher.targets.requireByteWrites(content);
  }

  requireByteWritesIn(directory: DirectoryNode): void {
    this.#publisher.targets.requireByteWritesIn(directory);
  }

  /** It stays on this machine until it is renamed. */
  isTemporary(node: ContentNode): boolean {
    return this.#publisher.targets.isTemporary(node);
  }

  /** Whether a file of a project would do so under this name. */
  isTemporaryName(name: string): boolean {
    return this.#publisher.targets.isTemporaryInProject(name);
  }

  /**
   * Makes a change of the bytes, when a publication that a close left behind is not in the middle of them. The function
   * `change` asks for the draft itself: the end of a publication may remove an older draft, and nobody would publish a
   * change of that. No byte before `fromByte` is changed.
   */
  async change<T>(
    content: FileContent,
    change: () => Promise<T>,
    signal: AbortSignal,
    fromByte = 0,
  ): Promise<T> {
    if (fromByte < (content.node.draft?.sizeBytes ?? 0))
      await this.#closedFiles.beforeChange(content, signal);
    content.changes += 1;
    try {
      return await (content.following !== undefined ? content.lock.run(change, signal) : change());
    } finally {
      content.changes -= 1;
    }
  }

  /** As `publish`, by the holder of the content's lock. */
  publishHolding(content: FileContent): Promise<void> {
    return this.#publisher.publish(content);
  }

  /** Publishes what is not; the signal ends the waiting only. */
  async publish(content: FileContent, signal?: AbortSignal): Promise<void> {
    const work = this.#publisher.publishInTurn(content);
    try {
      await untilAborted(work, signal);
    } catch (error) {
      if (signal?.aborted) void this.#closedFiles.watch(content, work);
      else if (!content.owed) content.hopeless = true;
      throw error;
    }
  }

  /**
   * Finds the file that a publication without an answer made all the same. It is the node's file from here on, before the
   * platform is asked to change it. The caller holds the content's lock. Throws the failure that keeps us from asking.
   */
  async findUnanswered(node: ContentNode): Promise<void> {
    const content = this.find(node);
    if (content) await this.#publisher.findUnanswered(content);
  }

  /**
   * close(2) returns before RELEASE comes. Waits a moment for that of a file whose last change was closed, as far as
   * can be told: programs that have it open still, or again, have changed nothing since.
   */
  async whenReleased(node: ContentNode): Promise<void> {
    const content = this.find(node);
    if (!content) return;
    const isClosed = (): boolean => content.owed || content.outstanding === 'none';
    const over = new AbortController();
    const moment = this.#tree.clock.sleep(RELEASE_MS, over.signal).catch(() => undefined);
    let isOver = false;
    void moment.then(() => {
      isOver = true;
    });
    while (!isOver && content.writers > 0 && isClosed()) await Promise.race([content.nextRelease, moment]);
    over.abort();
  }

  /**
   * Has a file that nobody writes any more on the platform as it was closed, before something is done to it there. One of a
   * project goes up whatever its name is.
   */
  async publishClosed(node: ContentNode, signal?: AbortSignal): Promise<void> {
    const content = this.find(node);
    if (!content || content.outstanding === 'none' || content.writers > 0) return;
    const stayed = this.isTemporary(node);
    this.#publisher.targets.isDue(node);
    await this.publish(content, signal);
    if (stayed) this.#closedFiles.renamed(content);
  }

  /**
   * Whether a file that nobody writes any more is brought to the platform once, under the name that it is about to get: it
   * stayed here for its old one, or its upload is still to follow.
   */
  async isOnlyHere(node: ProjectFileNode): Promise<boolean> {
    if (this.isTemporary(node)) await this.whenReleased(node);
    const content = this.find(node);
    if (!content?.owed || content.refused || node.record || node.draft?.begun) return false;
    const isOnItsWay = content.publishing !== 'none';
    return this.isTemporary(node) || (this.#closedFiles.mayFollow(content) && !isOnItsWay);
  }

  /** Tells of a closed file that it has got another name, which brings it to the platform if it is not there. */
  renamed(node: ProjectFileNode): void {
    const content = this.find(node);
    if (content && content.writers === 0) this.#closedFiles.renamed(content);
  }

  /** Makes what is not on the platform durable here. */
  async sync(content: FileContent, signal: AbortSignal): Promise<void> {
    try {
      await content.node.draft?.sync(signal);
    } catch (error) {
      // It was published meanwhile, which may take the draft away.
      if (content.outstanding !== 'none') throw error;
    }
  }

  /** Makes the file durable here and owed to the platform; its publication follows, if so, without being waited for. */
  async commit(
    content: FileContent,
    { follow, signal }: { readonly follow: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    try {
      await this.#publisher.commit(content, signal);
    } catch (error) {
      // It was published meanwhile, which may take the draft away.
      if (content.outstanding === 'none') return;
      // There may be no room for the version it builds on, or none any more. The disk's refusal must not publish it.
      const isWhole = content.node.draft?.doubtful === false;
      if (follow && isWhole && !signal.aborted && isOfThisMachine(error))
        return this.publish(content, signal);
      if (!signal.aborted) content.hopeless = true;
      throw error;
    }
    if (!follow) return;
    // Other writers may have taken the room of its own bytes meanwhile.
    if (!this.#closedFiles.mayFollow(content)) return this.publish(content, signal);
    this.#closedFiles.follow(content);
  }

  /**
   * Makes what was set on a file as safe here as what a close acknowledged of it. False: there is nothing of that kind, or it
   * is a file of the platform by now.
   */
  async annotatePromised(node: ProjectFileNode): Promise<boolean> {
    const content = this.find(node);
    if (!content?.promised || content.unlinked) return false;
    const isJournaled = await this.#publisher.annotate(node);
    // The refusal may have been about an attribute that this sets.
    this.#closedFiles.tryAgain(content);
    return isJournaled;
  }

  /**
   * Runs `move`, which gives these inodes other names, and has their drafts go along. One that cannot fails it before it has
   * begun. The caller holds the contents' locks.
   */
  async moving<T>(nodes: readonly ContentNode[], move: () => Promise<T>): Promise<T> {
    const follow = async (): Promise<T> => {
      const moved = await move();
      await Promise.all(nodes.map((node) => this.retarget(this.of(node))));
      return moved;
    };
    const drafts = nodes.flatMap(({ draft }) => draft ?? []);
    return drafts.reduce((moved, draft) => () => draft.whileMoved(moved), follow)();
  }

  /** The draft goes where the node is now. The caller holds the content's lock. */
  async retarget(content: FileContent): Promise<void> {
    await content.node.draft?.retarget(this.#publisher.targets.targetOf(content), content.path);
    // Its new name or folder may be one that the platform takes.
    this.#closedFiles.tryAgain(content);
  }

  /**
   * The name of an inode is gone; `whenClosed` removes what was kept for its handles. The caller holds the content's
   * lock.
   */
  async unlinked(content: FileContent, whenClosed: (() => Promise<void>) | undefined): Promise<void> {
    content.unlinked = true;
    content.whenClosed = whenClosed;
    this.#closedFiles.opened(content);
    if (content.node.kind === 'project-file') forgetLocalFacts(content.node);
    // The name is gone, even if the removal of its file fails.
    if (content.handles.size === 0) await this.#closedFiles.watch(content, this.#closedFiles.retire(content));
    const { draft } = content.node;
    if (!draft) return;
    await draft.disown();
    await this.#publisher.removeReplaced(draft);
  }

  /**
   * Runs `task`, which takes the inode's name away from it, and tells it whether handles need the content for longer.
   * No handle is added meanwhile. The caller holds the content's lock.
   */
  whileLeaving<T>(content: FileContent, task: (inUse: boolean) => Promise<T>): Promise<T> {
    return content.holdingUp('everyone', () => task(content.handles.size > 0));
  }

  /**
   * Has `take` take the inode's content for a new handle, in the turn in which it was found: else it could be forgotten before
   * the handle is there. ESTALE: its name went to another, and the kernel looks the name up again.
   */
  async forOpen<T>(
    node: ContentNode,
    mode: Pick<OpenMode, 'write' | 'truncate'>,
    {
      take,
      signal,
    }: { readonly take: (content: FileContent) => T | Promise<T>; readonly signal: AbortSignal },
  ): Promise<T> {
    let waited = false;
    for (; this.of(node).holdsUp(mode); waited = true)
      await this.of(node).lock.run(async () => undefined, signal);
    const content = this.of(node);
    // A caller that waited for its name wants the file that has it now, though other handles still have this one open.
    if (!node.parent && (waited || content.handles.size === 0)) {
      this.#table.forget(content);
      throw new FsError('ESTALE', `${node.name} was removed or replaced`);
    }
    this.#closedFiles.opened(content);
    return take(content);
  }
}
