import type { AsideFile, Draft, OwedDraft } from '../../content/ports.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import { restoreAnnotations } from '../attributes/annotations.ts';
import { FsError } from '../errors/fs-error.ts';
import type { ContentTable } from '../model/content-table.ts';
import type { FileContent } from '../model/file-content.ts';
import type { ProjectFileNode } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';
import type { Publisher } from '../publish/publisher.ts';
import { FollowingUploads } from './following-uploads.ts';
import type { RecoveredUpload } from './recovered-upload.ts';
import { Retirement } from './retirement.ts';
import { settleEdits } from './settle-edits.ts';
import { keptElsewhere, stillHere } from './still-here.ts';

/** A file made by mknod(2) and not opened is published after that. */
const MKNOD_GRACE_MS = 2000;
/** A file of a project with a name of a moment goes up under that name when it was closed so long ago. */
const MOMENT_MS = 60_000;

/** Closed files that are not on the platform. */
export interface LeftBehind {
  /** Paths; the next mount goes on with them. */
  readonly waiting: readonly string[];
  /** The files that the platform refuses, a line each: the reason, where the bytes are, and the remedy. */
  readonly refused: readonly string[];
}

/**
 * Files that nobody waits for any more: those that were closed, or made and not opened, and those that an ended mount
 * left. Each is brought to the platform, or kept aside, and let go of when no handle needs it. A failure that nobody
 * was told of is recorded.
 */
export class ClosedFiles {
  readonly #tree: Tree;
  readonly #publisher: Publisher;
  readonly #table: ContentTable;
  readonly #uploads: FollowingUploads;
  readonly #retirement: Retirement;
  readonly #background = new Map<Promise<void>, FileContent | RecoveredUpload>();
  readonly #brought = new Set<RecoveredUpload>();
  readonly #graces = new Map<FileContent, AbortController>();

  constructor(tree: Tree, publisher: Publisher, table: ContentTable) {
    this.#tree = tree;
    this.#publisher = publisher;
    this.#table = table;
    this.#uploads = new FollowingUploads(tree, publisher);
    this.#retirement = new Retirement(tree, publisher, (content) => void this.#follow(content));
  }

  /** As `FollowingUploads` has it. */
  mayFollow(content: FileContent): boolean {
    return this.#uploads.mayFollow(content);
  }

  /**
   * Bytes that a close acknowledged are about to change, which a kill would leave half old and half new: they are brought to
   * the platform first if their upload waits for no more than what may be done to the file. Its failure is told by the upload
   * that follows.
   */
  async beforeChange(content: FileContent, signal: AbortSignal): Promise<void> {
    if (content.node.kind !== 'project-file' || !this.#uploads.isWaiting(content)) return;
    const tried = this.#publisher.publishInTurn(content, () => content.owed).catch(() => undefined);
    await untilAborted(tried, signal);
  }

  /** A file was closed that is owed to the platform by now: its upload follows, and is tried until it is there. */
  follow(content: FileContent): void {
    content.closedMs = this.#tree.clock.elapsed();
    this.#uploads.closed();
    void this.#follow(content);
  }

  /** A file whose content an ended mount left unpublished: its content here again, and on its way. */
  adopt(node: ProjectFileNode, owed: OwedDraft & { readonly draft: Draft }): void {
    const content = this.#table.of(node);
    node.draft = owed.draft;
    content.exclusive = !owed.target.overwrite;
    content.unpublished = 'written';
    content.touch(this.#tree.clock.now());
    restoreAnnotations(node, owed.annotations);
    if (node.parent) this.#tree.kernel.invalidateEntry(node.parent.id, node.name);
    this.#tree.kernel.invalidateNode(node.id, 0);
    this.#goOn(content);
  }

  /** Brings to the platform, or keeps aside, an upload of an ended mount that is no file's content here. */
  bring(upload: RecoveredUpload): void {
    this.#brought.add(upload);
    void this.watch(upload, this.#uploads.bring(upload));
  }

  /**
   * Publishes what is not and is not to be kept aside; a failure is recorded, and what may follow a close is tried again.
   * Never rejects.
   */
  async publishUnheard(content: FileContent): Promise<void> {
    const { lock } = content;
    if (content.keepBecause || content.refused) return content.following;
    if (content.following !== undefined || this.#uploads.mayFollow(content)) {
      await this.watch(
        content,
        lock.run(() => this.#commitUnheard(content)),
      );
      if (content.owed) {
        content.closedMs = this.#tree.clock.elapsed();
        return this.#follow(content);
      }
      // A program that writes it again by now publishes it at its close.
      if (content.writers > 0) return;
    }
    await this.watch(content, this.#publisher.publishInTurn(content));
  }

  /** Publishes a file that mknod(2) made, unless `opened` is called for it before long. */
  publishSoon(content: FileContent): void {
    void this.watch(
      content,
      this.#afterGrace(content, MKNOD_GRACE_MS, () => this.settle(content)),
    );
  }

  /**
   * The last handle is gone. A new, empty object has a grace as after mknod(2): programs make one to see whether they can
   * (zip), and remove it at once, which a volume could not.
   */
  async released(content: FileContent): Promise<void> {
    const { node, unpublished, unlinked, hopeless } = content;
    const isEmptyObject = node.kind === 'volume-object' && !node.record && unpublished === 'begun';
    const hasGrace = isEmptyObject && !unlinked && !hopeless && !this.#tree.options.writeBack;
    if (!hasGrace || this.#publisher.targets.isTemporary(node)) return this.settle(content);
    this.publishSoon(content);
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
    await this.watch(
      content,
      content.lock.run(() => this.retire(content)),
    );
    if (content.owed && this.#stays(content))
      void this.#afterGrace(content, MOMENT_MS, () => this.#momentIsOver(content));
    this.#table.forget(content);
  }

  /** As `Retirement` has it. The caller holds the content's lock. */
  retire(content: FileContent): Promise<void> {
    return this.#retirement.retire(content);
  }

  /** Waits until what was closed or changed at a path or below is on the platform; answers what is not, and why. */
  async flush(path: string, signal: AbortSignal): Promise<readonly FsError[]> {
    const failures = new Map<string, FsError>();
    const prefix = path === '/' ? path : `${path}/`;
    const isBelow = ({ path: at }: { readonly path: string }): boolean => `${at}/`.startsWith(prefix);
    this.#uploads.hurry();
    this.#endMoments(isBelow);
    const underWay = new Set(this.#background.values());
    for (const content of this.#behind())
      if (isBelow(content) && !underWay.has(content)) void this.settle(content);
    for (;;) {
      const works = [...this.#background].filter(([, upload]) => isBelow(upload));
      if (works.length === 0) break;
      await untilAborted(Promise.all(works.map(([work]) => work)), signal);
      for (const [, { path: at, keepBecause }] of works) if (keepBecause) failures.set(at, keepBecause);
    }
    // New content has taken along what was to follow for the file before.
    for (const { edit, error } of await settleEdits(this.#tree, signal))
      if (isBelow({ path: edit.label })) failures.set(edit.id, error);
    for (const aside of await this.#refusedAside()) {
      if (!isBelow({ path: aside.label })) continue;
      failures.delete(aside.label);
      failures.set(aside.id, keptElsewhere(aside));
    }
    // After those: another file may have the path of one that is kept aside.
    for (const content of this.#behind())
      if (isBelow(content)) failures.set(content.path, content.keepBecause ?? this.#notThere(content));
    return [...failures.values()];
  }

  /** A closed file has another name: it is brought to the platform under that, or let go of when it is there already. */
  renamed(content: FileContent): void {
    if (content.owed) this.follow(content);
    if (content.handles.size === 0) void this.settle(content);
  }

  /** A file that was refused is tried again: something about it is another now, or somebody asks for that. */
  tryAgain(content: FileContent): void {
    if (!content.refused) return;
    content.refused = undefined;
    this.#goOn(content);
  }

  /** As `tryAgain`, and waits for the outcome. Undefined: no file here has that draft. */
  async retry(draftId: string, signal: AbortSignal): Promise<readonly FsError[] | undefined> {
    const content = this.#ofDraft(draftId);
    if (!content) return undefined;
    this.tryAgain(content);
    return this.flush(content.path, signal);
  }

  /** Lets a file go that was refused. EBUSY: it was not, or it is open. False: no file here has that draft. */
  async drop(draftId: string): Promise<boolean> {
    const content = this.#ofDraft(draftId);
    if (!content) return false;
    await content.lock.run(async () => {
      if (content.handles.size > 0) throw new FsError('EBUSY', `${content.path} is open: close it first`);
      if (!content.refused)
        throw new FsError('EBUSY', `${content.path} was not refused, its upload goes on: rm removes it`);
      content.isDropped = true;
      await this.retire(content);
    });
    this.#table.forget(content);
    return true;
  }

  /** Waits until everything is published or has failed; answers what is not, without what is refused. */
  async idle(signal: AbortSignal): Promise<Pick<LeftBehind, 'waiting'>> {
    this.#uploads.tryLast();
    this.#endMoments(() => true);
    try {
      for (const content of this.#table.values()) if (content.handles.size === 0) void this.settle(content);
      while (this.#background.size > 0) await untilAborted(Promise.all(this.#background.keys()), signal);
      await untilAborted(this.#publisher.idle(), signal);
      return { waiting: this.#left() };
    } finally {
      this.#tryOn();
    }
  }

  /** As `LeftBehind` has them. */
  async refused(): Promise<readonly string[]> {
    const named = [...this.#table.values()].filter(({ unlinked }) => !unlinked);
    const here = named.flatMap((content) => stillHere(content) ?? []);
    const aside = (await this.#refusedAside()).map(keptElsewhere);
    return [...here, ...aside].map(({ message }) => message);
  }

  /** Ends timers. */
  close(): void {
    this.#uploads.tryLast();
    this.#publisher.close();
    for (const grace of this.#graces.values()) grace.abort();
    this.#graces.clear();
  }

  /** Sees to work that is finished though nobody may wait for it. Never rejects. */
  watch(upload: FileContent | RecoveredUpload, work: Promise<void>): Promise<void> {
    const watched = work
      .catch((error: unknown) => this.#tree.recordError({ op: 'release', path: upload.path }, error))
      .finally(() => this.#background.delete(watched));
    this.#background.set(watched, upload);
    return watched;
  }

  /** Unless it is opened, removed or settled before. Never rejects. */
  async #afterGrace(content: FileContent, ms: number, then: () => Promise<void> | void): Promise<void> {
    this.opened(content);
    const grace = new AbortController();
    this.#graces.set(content, grace);
    const isOver = await this.#tree.clock.sleep(ms, grace.signal).then(
      () => true,
      () => false,
    );
    if (isOver) await then();
  }

  /** Closed under a name of a moment, in a project, it waits for another one. */
  #stays({ node, handles }: FileContent): boolean {
    return handles.size === 0 && node.kind === 'project-file' && this.#publisher.targets.isTemporary(node);
  }

  #momentIsOver(content: FileContent): void {
    this.#publisher.targets.isDue(content.node);
    this.#goOn(content);
  }

  /** Somebody waits for what was closed to be on the platform: under the names that the files have. */
  #endMoments(isMeant: (content: FileContent) => boolean): void {
    for (const content of this.#table.values())
      if (this.#stays(content) && isMeant(content)) this.#momentIsOver(content);
  }

  #follow(content: FileContent): Promise<void> {
    content.following ??= this.watch(content, this.#uploads.follow(content)).finally(() => {
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
      if (content.owed && !content.keepBecause && !content.refused && content.following === undefined)
        this.#goOn(content);
    const underWay = new Set(this.#background.values());
    for (const upload of this.#brought)
      if (!upload.isOver && !upload.keepBecause && !underWay.has(upload)) this.bring(upload);
  }

  /** As safe as what a program closed, and so as sure to be tried again. The caller holds the content's lock. */
  async #commitUnheard(content: FileContent): Promise<void> {
    if (content.owed || content.unlinked || content.outstanding === 'none') return;
    await this.#publisher.commit(content, NEVER_ABORTED);
  }

  #left(): readonly string[] {
    const isLeft = ({ handles, unpublished, unlinked, refused }: FileContent): boolean =>
      handles.size === 0 && unpublished !== 'none' && !unlinked && !refused;
    const closed = [...this.#table.values()].filter(isLeft);
    const brought = [...this.#brought].filter(({ isOver, keepBecause }) => !isOver && !keepBecause);
    return [...closed, ...brought].map(({ path }) => path);
  }

  /** Closed files that are not on the platform, though the platform has refused none of them. */
  #behind(): readonly FileContent[] {
    const isBehind = ({ node, writers, outstanding, unlinked, hopeless }: FileContent): boolean =>
      writers === 0 &&
      outstanding !== 'none' &&
      !unlinked &&
      !hopeless &&
      !this.#publisher.targets.isTemporary(node);
    return [...this.#table.values()].filter(isBehind);
  }

  #ofDraft(draftId: string): FileContent | undefined {
    return [...this.#table.values()].find(({ node }) => node.draft?.id === draftId);
  }

  /** Of what is kept aside, what a close had acknowledged. */
  async #refusedAside(): Promise<readonly AsideFile[]> {
    return (await this.#tree.writer.keptAside()).filter(({ acknowledged }) => acknowledged);
  }

  #notThere(content: FileContent): FsError {
    const refused = stillHere(content);
    if (refused) return refused;
    const { path } = content;
    const reason = this.#tree.errors.lastAt(path)?.text ?? 'its upload goes on';
    return new FsError('EIO', `${path} was closed, and is not on the platform yet: ${reason}`);
  }
}
