import { randomUUID } from 'node:crypto';
import type { FileRecord } from '../../api/model.ts';
import type { Annotations, ContentError, ContentVersion, Draft, UploadTarget } from '../../content/ports.ts';
import { isAliasOf } from '../../jobs/is-alias-of.ts';
import type { TransferOutcome, TransferTarget } from '../../jobs/ports.ts';
import { nanosecondsOf } from '../../lib/nanoseconds.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { annotationsFor, lacksRoom } from '../attributes/annotations.ts';
import { localFactsSent } from '../attributes/local-facts.ts';
import { tellLeftOut } from '../attributes/pairs-that-fit.ts';
import { readReservedPairs, reservedPairs } from '../attributes/reserved-pairs.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import { ENDED_BY_PUBLICATION } from '../errors/what-success-ends.ts';
import { nameOnPlatform } from '../model/escape.ts';
import type { ContentNode, DraftMaker, FileContent } from '../model/file-content.ts';
import type {
  DirectoryNode,
  Node,
  ProjectFileNode,
  ProjectFolderNode,
  VolumeObjectNode,
} from '../model/node.ts';
import { folderIdOf, pathOf, projectOf } from '../model/node.ts';
import { objectTargetOf, transferTargetOf } from '../model/transfer-ends.ts';
import type { Tree } from '../model/tree.ts';
import { requireAccepted } from '../xattr/limits.ts';
import { learnPlace, moveAbove } from './learn-place.ts';
import { matcherOf } from './match-names.ts';
import { fileOf, needsBytes, originOf } from './platform-copy.ts';
import { publishOver } from './publish-over.ts';
import type { ReplacedByDrafts } from './replaced-by-drafts.ts';
import { isSetSince, settingsOf } from './set-since.ts';
import { StagedRemovals } from './staged-removals.ts';
import { exportStaged, type Staging, stagingName } from './staging.ts';

/** The platform's facts count as fresh that long. */
const FRESH_MS = 1000;

const NO_STAGING =
  'the platform puts only exported project files on a volume: copy from a project, or set a staging project';

/**
 * Brings drafts onto the platform. A draft that is one whole unchanged source becomes a copy, import or export, and
 * no byte of it passes here; any other is uploaded, and for a volume then exported from the staging project.
 */
export class Publisher implements DraftMaker {
  readonly #tree: Tree;
  readonly #staging: Staging | undefined;
  readonly #replaced: ReplacedByDrafts;
  /** What an ended mount left in the staging folder has other names. */
  readonly #session = randomUUID().slice(0, 8);
  readonly #removals: StagedRemovals;
  readonly #hasTemporaryName: (location: string) => boolean;
  readonly draft: DraftMaker['draft'];

  constructor(tree: Tree, staging: Staging | undefined, replaced: ReplacedByDrafts) {
    this.#tree = tree;
    this.#staging = staging;
    this.#replaced = replaced;
    this.#removals = new StagedRemovals(tree);
    const matches = matcherOf(tree.options.temporaryNames);
    this.#hasTemporaryName = (location) => matches(location.slice(location.lastIndexOf('/') + 1));
    this.draft = (options) => tree.writer.draft(options);
  }

  targetOf(content: FileContent): UploadTarget {
    const { node } = content;
    if (node.kind === 'project-file') {
      const replaces = node.record?.id ?? content.replaces?.record.id;
      // A draft that has lost its name is not published: nothing is known of its folder any more.
      const parent = content.unlinked ? projectOf(node).rootFolder : folderIdOf(parentOf(node));
      const place = { parent, name: platformNameOf(node) };
      return { ...place, overwrite: !content.exclusive, replaces };
    }
    const replaces = content.replacesEtag ?? node.record?.etag;
    const onward = { volume: node.volume.id, location: node.location, replaces };
    content.stagingName ??= stagingName(node.name, `${this.#session}-${node.id}`);
    // Without staging the draft only records what it is a copy of; a byte written is refused before it gets there.
    const target = { parent: this.#staging?.folder ?? '', name: content.stagingName, overwrite: true };
    return this.isTemporary(node) ? target : { ...target, onward };
  }

  /** It stays on this machine until it is renamed: a volume could neither delete nor rename it. */
  isTemporary(node: ContentNode): boolean {
    if (node.kind !== 'volume-object' || node.record || !this.#staging) return false;
    return this.#hasTemporaryName(node.location);
  }

  /** Whether programs write to it: to what is on a volume only with a staging project. */
  takesBytes({ kind }: Node): boolean {
    const isOnVolume = kind === 'volume-object' || kind === 'volume-directory';
    return !isOnVolume || this.#staging !== undefined;
  }

  /** Throws for a file on a volume when there is no staging project. */
  requireByteWrites(content: FileContent): void {
    if (this.takesBytes(content.node)) return;
    content.hopeless = true;
    throw new FsError('EROFS', NO_STAGING);
  }

  /** As `requireByteWrites`, of a directory that a file is to be made in. */
  requireByteWritesIn(directory: DirectoryNode): void {
    if (!this.takesBytes(directory)) throw new FsError('EROFS', NO_STAGING);
  }

  /**
   * As `publish`, for a caller that does not hold the content's lock: when its turn comes, if `isWanted` then. A removal
   * of the file may come before the end of that.
   */
  async publishInTurn(content: FileContent, isWanted = (): boolean => true): Promise<void> {
    const publish = async (): Promise<void> => {
      content.givesWay = true;
      try {
        if (isWanted()) await this.publish(content);
      } finally {
        content.givesWay = false;
      }
    };
    for (;;) {
      const move = moveAbove(content.node);
      if (move !== undefined) await move;
      try {
        return await content.lock.run(publish);
      } catch (error) {
        if (!hasGivenWay(error)) throw error;
      }
    }
  }

  /** The caller holds the content's lock. Throws what failed; the draft is as unpublished then as before. */
  async publish(content: FileContent): Promise<void> {
    const { node, unpublished } = content;
    const { draft } = node;
    if (!draft || unpublished === 'none' || content.unlinked) return;
    if (this.isTemporary(node)) {
      return draft.committed ? draft.stay() : this.commit(content, NEVER_ABORTED);
    }
    content.unpublished = 'none';
    content.publishing = unpublished;
    const { mark } = this.#tree.errors;
    try {
      await draft.whileFinishing(() =>
        node.kind === 'project-file'
          ? this.#publishFile(content, node, draft)
          : this.#publishObject(content, node, draft),
      );
      content.hopeless = false;
      content.keepBecause = undefined;
      content.refused = undefined;
      this.#tree.errors.ended(content.path, { ops: ENDED_BY_PUBLICATION, mark });
      // A write that came while we published set this again, but may have made it into what was sent.
      if (!node.draft?.dirty) content.unpublished = 'none';
    } catch (error) {
      // A later change tells of the bytes as they are now.
      if (content.unpublished === 'none') content.unpublished = unpublished;
      throw error;
    } finally {
      content.publishing = 'none';
    }
  }

  /** Takes what was uploaded on the way to a volume out of the staging folder, now or before long; never rejects. */
  async removeStaged(content: FileContent, whenGone: () => Promise<void>): Promise<void> {
    const { staged } = content;
    content.staged = undefined;
    if (staged) await this.#removals.remove(staged, whenGone);
    else await whenGone();
  }

  /** The name of a draft is removed: what it took the place of goes. Never rejects. */
  async removeReplaced({ id }: Draft): Promise<void> {
    await this.#replaced.deleteFor(id);
  }

  /** A draft is given up: what it took the place of is back, unless its own bytes got there. Never rejects. */
  async putBackReplaced(draft: Draft): Promise<void> {
    if (isFileAlready(draft)) await this.#replaced.deleteFor(draft.id);
    else await this.#replaced.putBackFor(draft.id);
  }

  /** Tries once more to remove what could not be. */
  idle(): Promise<void> {
    return this.#removals.tryAll();
  }

  close(): void {
    this.#removals.close();
  }

  /**
   * Durable on this machine, and owed to the platform. On a volume what is owed cannot be told: the export. A file that
   * stays here for its name has none: when the mount ends, the next one brings it to the staging folder. Of bytes that are a
   * file already nothing is owed: what is set on it from then on is written as on any other.
   */
  async commit({ node }: FileContent, signal: AbortSignal): Promise<void> {
    const { draft } = node;
    if (this.isTemporary(node)) {
      await draft?.commit(signal);
      return draft?.stay();
    }
    if (node.kind !== 'project-file')
      return this.#tree.options.writeBack && this.#staging ? draft?.commit(signal) : draft?.sync(signal);
    if (isFileAlready(draft)) return;
    await draft?.annotate(annotationsFor(node));
    await draft?.commit(signal);
  }

  /**
   * Attributes that are set on a file go with its content, and are owed when the content is. False: its content is there
   * already.
   */
  async annotate(node: ProjectFileNode): Promise<boolean> {
    const { draft } = node;
    if (!draft || isFileAlready(draft)) return false;
    await draft.annotate(annotationsFor(node));
    return true;
  }

  /**
   * Finds the file that a publication without an answer made all the same: it is the node's file from here on. The caller
   * holds the content's lock. Throws the failure that keeps us from asking.
   */
  async findUnanswered(content: FileContent): Promise<void> {
    const { node } = content;
    if (node.kind !== 'project-file' || !node.draft) return;
    const { draft } = node;
    const file = await draft.unanswered();
    if (!file) return;
    const { pending } = node;
    this.#tree.published(node, file);
    // It may have been made without them.
    node.pending = pending;
    await this.#hasTheName(content, draft);
  }

  async #publishFile(content: FileContent, node: ProjectFileNode, draft: Draft): Promise<void> {
    await this.findUnanswered(content);
    await learnPlace(this.#tree, node);
    await this.#follow(content, draft);
    await this.#noteConflict(content, node);
    let sent = settingsOf(node);
    const annotations = annotationsFor(node);
    if (annotations) requireAccepted(annotations);
    if (lacksRoom(node)) tellLeftOut(this.#tree, node);
    let file = await publishOver(this.#replaced, { content, node, draft }, async () => {
      const whole = draft.wholeCopyOf();
      const target = transferTargetOf(parentOf(node), platformNameOf(node));
      const copied = await this.#copied(content, draft, target);
      return copied && whole
        ? this.#adopt(draft, { file: fileOf(copied), source: whole }, annotations)
        : this.#upload(draft, annotations);
    });
    while (isSetSince(node, sent)) {
      sent = settingsOf(node);
      await draft.annotate(annotationsFor(node));
      file = await draft.annotatePublished();
    }
    this.#tree.published(node, file);
    localFactsSent(node, sent.facts);
    await this.#hasTheName(content, draft);
  }

  /** A draft that was begun while its folder was being moved knows only where that was. */
  async #follow(content: FileContent, draft: Draft): Promise<void> {
    const target = this.targetOf(content);
    const isThere = target.parent === draft.target.parent && target.name === draft.target.name;
    if (!isThere) await draft.retarget(target, content.path);
  }

  /** The file that has the name on the platform is ours. */
  async #hasTheName(content: FileContent, { id }: Draft): Promise<void> {
    content.exclusive = false;
    content.replaces = undefined;
    await this.#replaced.deleteFor(id);
  }

  async #upload(draft: Draft, annotations: Annotations | undefined): Promise<FileRecord> {
    await draft.annotate(annotations);
    return draft.publish(NEVER_ABORTED);
  }

  /** A copy made by the platform has its source's metadata, its time included: which is not that of a copy. */
  async #adopt(
    draft: Draft,
    { file, source }: { readonly file: FileRecord; readonly source: ContentVersion },
    given: Annotations | undefined,
  ): Promise<FileRecord> {
    const dated = readReservedPairs(file.metadata).mtimeNs !== undefined;
    const renewed = dated ? reservedPairs({ mtimeNs: nanosecondsOf(this.#tree.clock.now()) }) : {};
    const metadata = { ...renewed, ...given?.metadata };
    const nothing = Object.keys(metadata).length === 0 && !given?.tags;
    const changes = { metadata, ...(given?.tags && { tags: given.tags }) };
    const adopted = nothing ? file : await this.#tree.api.files.edit(file.id, changes);
    await draft.publishedAs(adopted, source, given);
    return adopted;
  }

  async #publishObject(content: FileContent, node: VolumeObjectNode, draft: Draft): Promise<void> {
    const target = objectTargetOf(node);
    if (!(await this.#copied(content, draft, target))) await this.#throughStaging(content, draft, target);
    // The file that has the name now is ours, and later writes replace it.
    content.exclusive = false;
    const record = await this.#tree.api.volumes.object(node.volume.id, node.location);
    if (!record)
      throw new FsError('EIO', `${node.volume.id} does not show ${node.location} after its export`);
    this.#tree.published(node, record);
    content.renewViews();
    // Later writes stay in the draft. Without any, reads come from the object itself from now on.
    const isAsSent = content.unpublished === 'none' && content.changes === 0;
    const done = isAsSent ? content.takeDraft() : undefined;
    // A draft that is written on may build on the staged file, which its next publication takes the place of.
    if (done === undefined) return;
    // A draft that is not discarded has the next mount remove the file, should this one end before it could.
    await this.removeStaged(content, () => done.discard());
  }

  async #throughStaging(content: FileContent, draft: Draft, target: TransferTarget): Promise<void> {
    this.requireByteWrites(content);
    const staging = this.#staging;
    if (!staging) return;
    if (content.exclusive && (await this.#hasArrived(content, target))) content.exclusive = false;
    const file = await draft.publish(NEVER_ABORTED);
    content.staged = file;
    const overwrite = !content.exclusive;
    await exportStaged(this.#tree.jobs, { file, staging, target, overwrite, path: content.path });
  }

  /** Whether what was staged before is the object: its export may have got there though nobody was told. */
  async #hasArrived({ staged, path }: FileContent, target: TransferTarget): Promise<boolean> {
    const { api, jobs } = this.#tree;
    if (!staged || target.kind !== 'volume') return false;
    const earlier = jobs.ofPath(path);
    if (earlier) await jobs.wait(earlier.id);
    const now = await api.files.get(staged.id).catch(unlessGone);
    return now?.kind === 'file' && isAliasOf(now, target);
  }

  /** The platform's own copy, when the draft is one; undefined when its bytes must be sent. */
  async #copied(
    content: FileContent,
    draft: Draft,
    target: TransferTarget,
  ): Promise<TransferOutcome | undefined> {
    const origin = originOf(content.copiedFrom, draft);
    if (!origin) return undefined;
    const { node, exclusive } = content;
    const paths = { source: origin.path, target: pathOf(node) };
    // To ask for replacing costs the copy call a look at the target first.
    const overwrite = !exclusive && (origin.source.kind !== 'file' || node.record !== undefined);
    try {
      return await this.#tree.jobs.copy({ source: origin.source, target, overwrite, paths });
    } catch (error) {
      if (!needsBytes(error, exclusive)) throw error;
      if (target.kind === 'project' || this.#staging) return undefined;
      content.hopeless = true;
      throw error;
    }
  }

  /**
   * Last completion wins, whole: but that it replaces another's is told to whoever asks. With `--conflict=fail` the
   * other's wins, the closer gets ESTALE, and what it wrote is kept aside.
   */
  async #noteConflict(content: FileContent, node: ProjectFileNode): Promise<void> {
    const { record } = node;
    if (!record || this.#tree.clock.elapsed() - node.checkedMs <= FRESH_MS) return;
    const current = await this.#tree.api.files.find({
      parent: folderIdOf(parentOf(node)),
      name: record.name,
    });
    if (!current || current.id === record.id) return;
    const reason = `${node.name} was replaced elsewhere (${current.id}) while it was written here`;
    if (this.#tree.options.conflict === 'fail') {
      content.keepBecause = new FsError('ESTALE', reason);
      throw content.keepBecause;
    }
    const told = new FsError('ESTALE', `${reason}; this version now replaces it`);
    this.#tree.recordError({ op: 'close', path: pathOf(node) }, told);
  }
}

/** Its bytes are those of a file of the platform. */
function isFileAlready(draft: Draft | undefined): boolean {
  return draft !== undefined && !draft.dirty && draft.publishedFileId !== undefined;
}

function unlessGone(error: unknown): undefined {
  if (errnoOf(error) !== 'ENOENT') throw error;
}

function platformNameOf({ record, name }: ProjectFileNode): string {
  return record?.name ?? nameOnPlatform(name);
}

function parentOf(node: ProjectFileNode): ProjectFolderNode {
  if (node.parent?.kind === 'project-folder') return node.parent;
  throw new FsError('ESTALE', `${node.name} is no longer in a project`);
}

function hasGivenWay(error: unknown): boolean {
  return (
    error instanceof Error && error.name === 'ContentError' && (error as ContentError).kind === 'gave-way'
  );
}
