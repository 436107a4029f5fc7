/**
 * Brings drafts onto the platform. A draft that is one whole unchanged source becomes a copy, import or export, and
 * no byte of it passes here. Any other is uploaded: for a volume into its bucket, or to the staging project and exported from there.
 *
 * In the order in which things happen: `targets.ts` decides where a draft goes. This file decides when it is published, and
 * what is owed until then. `publish-file.ts` and `publish-object.ts` say how. `platform-copy.ts` makes the copy where there is one to
 * make, and `staging.ts` and `staged-removals.ts` are the way onto volumes.
 */
import { randomUUID } from 'node:crypto';
import type { ContentError, Draft } from '../../content/ports.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { annotationsFor } from '../attributes/annotations.ts';
import { isOfThisMachine } from '../errors/errno-of.ts';
import { ENDED_BY_PUBLICATION } from '../errors/what-success-ends.ts';
import type { FileContent } from '../model/file-content.ts';
import type { ProjectFileNode } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';
import { moveAbove } from './learn-place.ts';
import { PlatformCopies } from './platform-copy.ts';
import { FilePublication } from './publish-file.ts';
import { ObjectPublication } from './publish-object.ts';
import { isFileAlready } from './publish-over.ts';
import type { ReplacedByDrafts } from './replaced-by-drafts.ts';
import { StagedRemovals } from './staged-removals.ts';
import type { Staging } from './staging.ts';
import { Targets } from './targets.ts';

export class Publisher {
  readonly targets: Targets;
  readonly #tree: Tree;
  readonly #replaced: ReplacedByDrafts;
  readonly #removals: StagedRemovals;
  readonly #files: FilePublication;
  readonly #objects: ObjectPublication;

  constructor(tree: Tree, staging: Staging | undefined, replaced: ReplacedByDrafts) {
    const targets = new Targets(tree, staging, randomUUID().slice(0, 8));
    const copies = new PlatformCopies(tree, targets);
    const removals = new StagedRemovals(tree);
    this.targets = targets;
    this.#tree = tree;
    this.#replaced = replaced;
    this.#removals = removals;
    this.#files = new FilePublication({ tree, targets, copies, replaced });
    this.#objects = new ObjectPublication({ tree, staging, targets, copies, removals });
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

  /** The caller holds the content's lock. Throws the failure; the draft is as unpublished then as before. */
  async publish(content: FileContent): Promise<void> {
    const { node, unpublished } = content;
    const { draft } = node;
    if (!draft || unpublished === 'none' || content.unlinked) return;
    if (await this.#stays(content, draft)) return;
    content.unpublished = 'none';
    content.publishing = unpublished;
    const { mark } = this.#tree.errors;
    try {
      await draft.whileFinishing(() =>
        node.kind === 'project-file'
          ? this.#files.publish(content, node, draft)
          : this.#objects.publish(content, node, draft),
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

  /**
   * Whether a name of a moment keeps the file here, safe: its rename publishes it. A file of a project goes up under such a
   * name when this machine cannot keep it, or the platform copies it from what may go away.
   */
  async #stays(content: FileContent, draft: Draft): Promise<boolean> {
    const { node, goesTo } = content;
    if (goesTo) return false;
    if (this.targets.isTemporary(node) && !isWholeHere(draft)) this.targets.isDue(node);
    if (!this.targets.isTemporary(node)) return false;
    try {
      if (draft.committed) draft.stay();
      else await this.commit(content, NEVER_ABORTED);
      return true;
    } catch (error) {
      if (node.kind !== 'project-file' || draft.doubtful || !isOfThisMachine(error)) throw error;
      this.targets.isDue(node);
      return false;
    }
  }

  /** As `FilePublication.findUnanswered`; nothing is done for an object. */
  findUnanswered(content: FileContent): Promise<void> {
    return this.#files.findUnanswered(content);
  }

  /**
   * Makes a draft durable on this machine, and owed to the platform. The journal cannot tell what is owed to a volume: the
   * export. A file that stays here for its name has none: when the mount ends, the next one brings it to the staging
   * folder. Nothing is owed of bytes that are a file already: what is set on it from then on is written as on any other.
   */
  async commit({ node }: FileContent, signal: AbortSignal): Promise<void> {
    const { draft } = node;
    if (this.targets.isTemporary(node)) {
      if (node.kind === 'project-file') await draft?.annotate(annotationsFor(node));
      await draft?.commit(signal);
      return draft?.stay();
    }
    if (node.kind !== 'project-file')
      return this.#tree.options.writeBack && this.targets.takesBytes(node)
        ? draft?.commit(signal)
        : draft?.sync(signal);
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

  /** Takes a file that was uploaded on its way to a volume out of the staging folder, now or before long; never rejects. */
  removeStaged(content: FileContent, whenGone: () => Promise<void>): Promise<void> {
    return this.#removals.removeOf(content, whenGone);
  }

  /** The name of a draft is removed: the file that it took the place of goes. Never rejects. */
  async removeReplaced({ id }: Draft): Promise<void> {
    await this.#replaced.deleteFor(id);
  }

  /** A draft is given up: the file that it took the place of is back, unless its own bytes got there. Never rejects. */
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
}

/** Its bytes are all here, or there is room for them, and none is to come from another file of the platform alone. */
export function isWholeHere(draft: Draft): boolean {
  return draft.wholeCopyOf() === undefined && draft.fits;
}

function hasGivenWay(error: unknown): boolean {
  return (
    error instanceof Error && error.name === 'ContentError' && (error as ContentError).kind === 'gave-way'
  );
}
