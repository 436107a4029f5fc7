import type { Draft, OwedDraft } from '../../content/ports.ts';
import { runHolding } from '../../lib/mutex.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import { errnoOf } from '../errno-of.ts';
import { FsError } from '../fs-error.ts';
import type { ProjectFileNode } from '../node.ts';
import type { Tree } from '../tree.ts';
import { restoreAnnotations } from './annotations.ts';
import type { ContentNode } from './file-content.ts';
import { FileContent } from './file-content.ts';
import { FollowingUploads } from './following-uploads.ts';
import { type GivenUp, giveUp } from './give-up.ts';
import { forgetLocalFacts } from './local-facts.ts';
import type { OpenMode } from './open-flags.ts';
import type { Publisher } from './publisher.ts';
import type { RecoveredUpload } from './recovered-upload.ts';

/** A file made by mknod(2) and not opened is published after that. */
const MKNOD_GRACE_MS = 2000;

const NOTHING_MORE = async (): Promise<void> => {};

/**
 * The inodes that are open or not yet published, and their way to the platform. Whatever is begun here is finished
 * whoever waits for it: an aborted wait ends the waiting, and a failure that nobody was told of is recorded.
 */
export class Contents {
  readonly #tree: Tree;
  readonly #publisher: Publisher;
  readonly #uploads: FollowingUploads;
  readonly #byNode = new Map<ContentNode, FileContent>();
  readonly #background = new Map<Promise<void>, FileContent | RecoveredUpload>();
  readonly #brought = new Set<RecoveredUpload>();
  readonly #graces = new Map<FileContent, AbortController>();

  constructor(tree: Tree, publisher: Publisher) {
    this.#tree = tree;
    this.#publisher = publisher;
    this.#uploads = new FollowingUploads(tree, publisher);
  }

  of(node: ContentNode): FileContent {
    const known = this.#byNode.get(node);
    if (known) return known;
    const content = new FileContent(node);
    this.#byNode.set(node, content);
    return content;
  }

  /** Undefined: neither open nor unpublished. */
  find(node: ContentNode): FileContent | undefined {
    return this.#byNode.get(node);
  }

  values(): IterableIterator<FileContent> {
    return this.#byNode.values();
  }

  draft(content: FileContent): Promise<Draft> {
    return content.draft(this.#publisher);
  }

  /** As O_TRUNC and creation have it: the draft is empty, and its publication begun. */
  async empty(content: FileContent, signal: AbortSignal): Promise<void> {
    const draft = await content.emptyDraft(this.#publisher, signal);
    // Whatever was to be published before is gone, but not what another program wrote since.
    if (draft.sizeBytes === 0) content.unpublished = 'begun';
    this.touch(content);
  }

  /** Bytes changed just now: no time set before counts any more, and of these bytes nobody was told anything. */
  touch(content: FileContent): void {
    const { node } = content;
    content.hopeless = false;
    node.writtenMs = this.#tree.clock.now();
    if (node.kind === 'project-file') node.mtimeMs = undefined;
  }

  requireByteWrites(content: FileContent): void {
    this.#publisher.requireByteWrites(content);
  }

  /** It stays on this machine until it is renamed. */
  isTemporary(node: ContentNode): boolean {
    return this.#publisher.isTemporary(node);
  }

  /** As `publish`, by who holds the content's lock. */
  publishHolding(content: FileContent): Promise<void> {
    return this.#publisher.publish(content);
  }

  /** Publishes what is not; the signal ends the waiting only. */
  async publish(content: FileContent, signal?: AbortSignal): Promise<void> {
    const work = content.lock.run(() => this.#publisher.publish(content));
    try {
      await untilAborted(work, signal);
    } catch (error) {
      if (signal?.aborted) void this.#watch(content, work);
      else if (!content.owed) content.hopeless = true;
      throw error;
    }
  }

  /**
   * What a publication without an answer made all the same is the file from here on, before something is done to it on
   * the platform. The caller holds the content's lock. Throws what keeps us from asking.
   */
  async findUnanswered(node: ContentNode): Promise<void> {
    const content = this.find(node);
    if (content) await this.#publisher.findUnanswered(content);
  }

  /** Has a file that nobody writes any more on the platform as it was closed, before something is done to it there. */
  async publishClosed(node: ContentNode, signal?: AbortSignal): Promise<void> {
    const content = this.find(node);
    if (content && content.outstanding !== 'none' && content.writers === 0)
      await this.publish(content, signal);
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

  /** Makes the file durable here and owed to the platform; its publication follows, if so, without being waited for. */
  async commit(
    content: FileContent,
    { follow, signal }: { readonly follow: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    try {
      await this.#publisher.commit(content, signal);
    } catch (error) {
      // There may be no room for what it builds on, or none any more. What the disk has refused is not to be published for it.
      const isWhole = content.node.draft?.doubtful === false;
      if (follow && isWhole && !signal.aborted && errnoOf(error) === 'ENOSPC')
        return this.publish(content, signal);
      if (!signal.aborted) content.hopeless = true;
      throw error;
    }
    if (!follow) return;
    // What others write into it meanwhile may have taken the room of its own bytes.
    if (!this.mayFollow(content)) return this.publish(content, signal);
    this.#uploads.closed();
    void this.#follow(content);
  }

  /** A file whose content an ended mount left unpublished: its content here again, and on its way. */
  adopt(node: ProjectFileNode, owed: OwedDraft & { readonly draft: Draft }): void {
    const content = this.of(node);
    node.draft = owed.draft;
    content.exclusive = !owed.target.overwrite;
    content.unpublished = 'written';
    this.touch(content);
    restoreAnnotations(node, owed.annotations);
    if (node.parent) this.#tree.kernel.invalidateEntry(node.parent.id, node.name);
    this.#tree.kernel.invalidateNode(node.id, 0);
    this.#goOn(content);
  }

  /** What an ended mount left and that is no file's content here: brought to the platform, or kept aside. */
  bring(upload: RecoveredUpload): void {
    this.#brought.add(upload);
    void this.#watch(upload, this.#uploads.bring(upload));
  }

  /** Makes a change of the bytes, when a publication that a close left behind is not in the middle of them. */
  async change<T>(content: FileContent, change: () => Promise<T>, signal: AbortSignal): Promise<T> {
    content.changes += 1;
    try {
      return await (content.following !== undefined ? content.lock.run(change, signal) : change());
    } finally {
      content.changes -= 1;
    }
  }

  /** Waits until what was closed at a path or below is on the platform; answers what is not, and why. */
  async flush(path: string, signal: AbortSignal): Promise<readonly FsError[]> {
    const failures = new Set<FsError>();
    const prefix = path === '/' ? path : `${path}/`;
    const isBelow = ({ path: at }: FileContent | RecoveredUpload): boolean => `${at}/`.startsWith(prefix);
    this.#uploads.hurry();
    const underWay = new Set(this.#background.values());
    for (const content of this.#behind())
      if (isBelow(content) && !underWay.has(content)) void this.settle(content);
    for (;;) {
      const works = [...this.#background].filter(([, upload]) => isBelow(upload));
      if (works.length === 0) break;
      await untilAborted(Promise.all(works.map(([work]) => work)), signal);
      for (const [, { keepBecause }] of works) if (keepBecause) failures.add(keepBecause);
    }
    for (const content of this.#behind())
      if (isBelow(content)) failures.add(content.keepBecause ?? this.#notThere(content));
    return [...failures];
  }

  /**
   * Publishes what is not and is not to be kept aside; a failure is recorded, and what may follow a close is tried again.
   * Never rejects.
   */
  async publishUnheard(content: FileContent): Promise<void> {
    const { lock } = content;
    if (content.keepBecause) return content.following;
    if (content.following !== undefined || this.mayFollow(content)) {
      await this.#watch(
        content,
        lock.run(() => this.#commitUnheard(content)),
      );
      if (content.owed) return this.#follow(content);
      // Who writes it again by now brings it there when it is closed.
      if (content.writers > 0) return;
    }
    await this.#watch(
      content,
      lock.run(() => this.#publisher.publish(content)),
    );
  }

  /** Publishes a file that mknod(2) made, unless `opened` is called for it before long. */
  publishSoon(content: FileContent): void {
    const grace = new AbortController();
    this.#graces.set(content, grace);
    void this.#watch(
      content,
      this.#tree.clock.sleep(MKNOD_GRACE_MS, grace.signal).then(
        () => this.settle(content),
        () => undefined,
      ),
    );
  }

  opened(content: FileContent): void {
    this.#graces.get(content)?.abort();
    this.#graces.delete(content);
  }

  /** Publishes what nobody was refused yet, records a failure, and lets go of what no handle needs. Never rejects. */
  async settle(content: FileContent): Promise<void> {
    this.opened(content);
    const owed = content.unpublished !== 'none' && !content.unlinked && !content.hopeless;
    await (owed ? this.publishUnheard(content) : content.following);
    await this.#watch(
      content,
      content.lock.run(() => this.#retire(content)),
    );
    this.#forget(content);
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
    await content.node.draft?.retarget(this.#publisher.targetOf(content), content.path);
  }

  /**
   * The name of an inode is gone; `whenClosed` removes what was kept for its handles. The caller holds the content's
   * lock.
   */
  async unlinked(content: FileContent, whenClosed: (() => Promise<void>) | undefined): Promise<void> {
    content.unlinked = true;
    content.whenClosed = whenClosed;
    this.opened(content);
    if (content.node.kind === 'project-file') forgetLocalFacts(content.node);
    if (content.handles.size === 0) await this.#retire(content);
    const { draft } = content.node;
    if (!draft) return;
    await draft.disown();
    await this.#publisher.removeReplaced(draft);
  }

  /** Runs `task` while nothing else changes what these inodes are on the platform. */
  async holding<T>(nodes: readonly ContentNode[], task: () => Promise<T>): Promise<T> {
    const contents = nodes.map((node) => this.of(node)).sort((a, b) => a.node.id - b.node.id);
    const locks = contents.map(({ lock }) => lock);
    try {
      return await runHolding(locks, task);
    } finally {
      for (const content of contents) this.#forget(content);
    }
  }

  /**
   * Runs `task`, which takes the inode's name away from it, and tells it whether handles need the content for longer.
   * No handle is added meanwhile. The caller holds the content's lock.
   */
  whileLeaving<T>(content: FileContent, task: (inUse: boolean) => Promise<T>): Promise<T> {
    return content.holdingUp('everyone', () => task(content.handles.size > 0));
  }

  /** The inode's content for a new handle. ESTALE: its name went to another, and the kernel looks the name up again. */
  async forOpen(
    node: ContentNode,
    mode: Pick<OpenMode, 'write' | 'truncate'>,
    signal: AbortSignal,
  ): Promise<FileContent> {
    let waited = false;
    for (; this.of(node).holdsUp(mode); waited = true)
      await this.of(node).lock.run(async () => undefined, signal);
    const content = this.of(node);
    // Who waited for its name wants what has that now, though others still have this open.
    if (!node.parent && (waited || content.handles.size === 0)) {
      this.#forget(content);
      throw new FsError('ESTALE', `${node.name} was removed or replaced`);
    }
    this.opened(content);
    return content;
  }

  /** Waits until everything is published or has failed; answers the paths of what is left to the next mount. */
  async idle(signal: AbortSignal): Promise<readonly string[]> {
    this.#uploads.tryLast();
    try {
      for (const content of this.#byNode.values()) if (content.handles.size === 0) void this.settle(content);
      while (this.#background.size > 0) await untilAborted(Promise.all(this.#background.keys()), signal);
      await untilAborted(this.#publisher.idle(), signal);
      return this.#left();
    } finally {
      this.#tryOn();
    }
  }

  /** Ends timers. */
  close(): void {
    this.#uploads.tryLast();
    this.#publisher.close();
    for (const grace of this.#graces.values()) grace.abort();
    this.#graces.clear();
  }

  /** Lets the draft go once there is no handle, and nobody changes it. The caller holds the content's lock. */
  async #retire(content: FileContent): Promise<void> {
    if (content.handles.size > 0 || content.changes > 0) return;
    const { unpublished, keepBecause } = content;
    if (unpublished !== 'none' && !content.unlinked && !content.hopeless && !keepBecause) return;
    content.keepBecause = undefined;
    content.unpublished = 'none';
    const draft = content.takeDraft();
    if (content.unlinked) await this.#discardUnlinked(content, draft);
    else if (unpublished === 'none') await draft?.close();
    else await this.#giveUp(content, { draft, keepBecause });
  }

  async #giveUp(content: FileContent, what: GivenUp): Promise<void> {
    const { staged } = content;
    if (what.draft) await this.#publisher.putBackReplaced(what.draft);
    const reinstated = await this.#reinstated(content);
    const before = { staged, replaced: reinstated?.node };
    const isDispensable = await giveUp(this.#tree, content.node, { ...what, ...before });
    if (reinstated) void this.#follow(reinstated);
    if (isDispensable) await this.#publisher.removeStaged(content, NOTHING_MORE);
  }

  /** What a draft was renamed over, for that to have its name again, when there are handles on it. */
  async #reinstated({ replaces }: FileContent): Promise<FileContent | undefined> {
    if (!replaces || replaces.content.handles.size === 0) return undefined;
    const { content } = replaces;
    content.unlinked = false;
    await content.node.draft?.reclaim();
    return content;
  }

  /** An entry without handle, draft or anyone waiting says nothing. */
  #forget(content: FileContent): void {
    const idle = content.handles.size === 0 && !content.hasDraft && !content.lock.busy;
    if (idle && this.#byNode.get(content.node) === content) this.#byNode.delete(content.node);
  }

  #left(): readonly string[] {
    const isLeft = ({ handles, unpublished, unlinked }: FileContent): boolean =>
      handles.size === 0 && unpublished !== 'none' && !unlinked;
    const closed = [...this.#byNode.values()].filter(isLeft);
    const brought = [...this.#brought].filter(({ isOver, keepBecause }) => !isOver && !keepBecause);
    return [...closed, ...brought].map(({ path }) => path);
  }

  /** What was closed and is not on the platform, though nobody was refused it. */
  #behind(): readonly FileContent[] {
    const isBehind = ({ node, writers, outstanding, unlinked, hopeless }: FileContent): boolean =>
      writers === 0 && outstanding !== 'none' && !unlinked && !hopeless && !this.isTemporary(node);
    return [...this.#byNode.values()].filter(isBehind);
  }

  #notThere({ path }: FileContent): FsError {
    const reason = this.#tree.errors.lastAt(path)?.text ?? 'its upload goes on';
    return new FsError('EIO', `${path} was closed, and is not on the platform yet: ${reason}`);
  }

  #follow(content: FileContent): Promise<void> {
    content.following ??= this.#watch(content, this.#uploads.follow(content)).finally(() => {
      content.following = undefined;
    });
    return content.following;
  }

  #goOn(content: FileContent): void {
    void this.#follow(content);
    void this.settle(content);
  }

  /** The mount goes on after all, and so does what ended with the last try. */
  #tryOn(): void {
    this.#uploads.tryOn();
    for (const content of this.#behind())
      if (content.owed && !content.keepBecause && content.following === undefined) this.#goOn(content);
    const underWay = new Set(this.#background.values());
    for (const upload of this.#brought)
      if (!upload.isOver && !upload.keepBecause && !underWay.has(upload)) this.bring(upload);
  }

  /** As safe as what a program closed, and so as sure to be tried again. The caller holds the content's lock. */
  async #commitUnheard(content: FileContent): Promise<void> {
    if (content.owed || content.unlinked || content.outstanding === 'none') return;
    await this.#publisher.commit(content, NEVER_ABORTED);
  }

  async #discardUnlinked(content: FileContent, draft: Draft | undefined): Promise<void> {
    await draft?.discard();
    if (draft) await this.#publisher.removeReplaced(draft);
    await this.#publisher.removeStaged(content, NOTHING_MORE);
    await content.whenClosed?.();
  }

  #watch(upload: FileContent | RecoveredUpload, work: Promise<void>): Promise<void> {
    const watched = work
      .catch((error: unknown) => this.#tree.recordError({ op: 'release', path: upload.path }, error))
      .finally(() => this.#background.delete(watched));
    this.#background.set(watched, upload);
    return watched;
  }
}
