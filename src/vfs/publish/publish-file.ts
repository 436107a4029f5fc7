/** A draft becomes a file of a project: by a copy or import that the platform makes, or by an upload. */
import { isDeepStrictEqual } from 'node:util';
import type { FileRecord } from '../../api/model.ts';
import type { Annotations, Draft } from '../../content/ports.ts';
import { nanosecondsOf } from '../../lib/nanoseconds.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { annotationsFor, lacksRoom } from '../attributes/annotations.ts';
import { localFacts, localFactsSent } from '../attributes/local-facts.ts';
import { replacing } from '../attributes/owe-change.ts';
import { tellLeftOut } from '../attributes/pairs-that-fit.ts';
import type { ReservedFacts } from '../attributes/reserved-pairs.ts';
import { readReservedPairs, reservedPairs } from '../attributes/reserved-pairs.ts';
import type { FileContent } from '../model/file-content.ts';
import type { ProjectFileNode } from '../model/node.ts';
import { transferTargetOf } from '../model/transfer-ends.ts';
import type { Tree } from '../model/tree.ts';
import { requireAccepted } from '../xattr/limits.ts';
import { noteConflict, orLost } from './conflicts.ts';
import { learnPlace } from './learn-place.ts';
import { fileOf, type PlatformCopies } from './platform-copy.ts';
import { publishOver } from './publish-over.ts';
import type { ReplacedByDrafts } from './replaced-by-drafts.ts';
import { destinationOf, type Targets } from './targets.ts';

export interface FilePublicationParts {
  readonly tree: Tree;
  readonly targets: Targets;
  readonly copies: PlatformCopies;
  readonly replaced: ReplacedByDrafts;
}

export class FilePublication {
  readonly #tree: Tree;
  readonly #targets: Targets;
  readonly #copies: PlatformCopies;
  readonly #replaced: ReplacedByDrafts;

  constructor({ tree, targets, copies, replaced }: FilePublicationParts) {
    this.#tree = tree;
    this.#targets = targets;
    this.#copies = copies;
    this.#replaced = replaced;
  }

  async publish(content: FileContent, node: ProjectFileNode, draft: Draft): Promise<void> {
    await this.findUnanswered(content);
    await learnPlace(this.#tree, content.goesTo ?? node);
    await this.#follow(content, draft);
    await noteConflict(this.#tree, content, node);
    let sent = settingsOf(node);
    const annotations = annotationsFor(node);
    if (annotations) requireAccepted(annotations);
    if (lacksRoom(node)) tellLeftOut(this.#tree, node);
    const publish = async (): Promise<FileRecord> => {
      const whole = draft.wholeCopyOf();
      const { parent, name } = destinationOf(content, node);
      const target = transferTargetOf(parent, name);
      const mtimeNs = nanosecondsOf(this.#tree.clock.now());
      const annotationsOf = (file: FileRecord) => annotationsOfCopy(file, { given: annotations, mtimeNs });
      const copied = await this.#copies.make(content, draft, { target, annotationsOf });
      if (!copied || !whole) return this.#upload(draft, annotations);
      const file = await this.#complete(fileOf(copied), annotationsOf);
      await draft.publishedAs(file, whole, annotations);
      return file;
    };
    let file = await orLost(this.#tree, content, () =>
      this.#replacing(content, node, () => publishOver(this.#replaced, { content, node, draft }, publish)),
    );
    while (isSetSince(node, sent)) {
      sent = settingsOf(node);
      await draft.annotate(annotationsFor(node));
      file = await draft.annotatePublished();
    }
    this.#tree.published(node, file);
    localFactsSent(node, sent.facts);
    await this.#hasTheName(content, draft);
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

  /** A draft that was begun while its folder was being moved knows only the folder's old place, and one that is renamed its own. */
  async #follow(content: FileContent, draft: Draft): Promise<void> {
    const target = this.#targets.targetOf(content);
    const isThere = target.parent === draft.target.parent && target.name === draft.target.name;
    if (!isThere) await draft.retarget(target, content.futurePath);
  }

  /** With the content it gets what was still to follow for the files that it replaces. */
  #replacing(
    { replaces }: FileContent,
    { record }: ProjectFileNode,
    publish: () => Promise<FileRecord>,
  ): Promise<FileRecord> {
    const files = [record, replaces?.record].flatMap((file) => file?.id ?? []);
    return replacing(this.#tree, files, publish, ({ id }) => files.filter((file) => file !== id));
  }

  /** Gives a copy what it needs and the platform did not give it. */
  #complete(
    copy: FileRecord,
    annotationsOf: (file: FileRecord) => Annotations | undefined,
  ): Promise<FileRecord> | FileRecord {
    const missing = annotationsOf(copy);
    if (!missing) return copy;
    const { metadata, tags } = missing;
    return this.#tree.api.files.edit(copy.id, { metadata, ...(tags && { tags }) });
  }

  async #upload(draft: Draft, annotations: Annotations | undefined): Promise<FileRecord> {
    await draft.annotate(annotations);
    return draft.publish(NEVER_ABORTED);
  }

  /** The file that has the name on the platform is ours. */
  async #hasTheName(content: FileContent, { id }: Draft): Promise<void> {
    content.exclusive = false;
    content.replaces = undefined;
    await this.#replaced.deleteFor(id);
  }
}

/**
 * A copy made by the platform has its source's metadata, the source's time included, which is not the copy's. Undefined when
 * the copy needs nothing that the file does not have.
 */
function annotationsOfCopy(
  { metadata: present, tags: presentTags }: FileRecord,
  { given, mtimeNs }: { readonly given: Annotations | undefined; readonly mtimeNs: bigint },
): Annotations | undefined {
  const renewed = readReservedPairs(present).mtimeNs === undefined ? {} : reservedPairs({ mtimeNs });
  const wanted = Object.entries({ ...renewed, ...given?.metadata });
  const metadata = Object.fromEntries(wanted.filter(([key, value]) => present[key] !== value));
  const tags = isDeepStrictEqual(given?.tags, presentTags) ? undefined : given?.tags;
  return Object.keys(metadata).length === 0 && !tags ? undefined : { metadata, tags };
}

interface Settings extends Pick<ProjectFileNode, 'pending' | 'record'> {
  readonly facts: ReservedFacts;
}

/** The attributes that are set on a node now. */
function settingsOf(node: ProjectFileNode): Settings {
  return { pending: node.pending, record: node.record, facts: localFacts(node) };
}

/** A new attribute waits for the file's content; a removed one is gone from its record as well. */
function isSetSince(node: ProjectFileNode, { pending, record, facts }: Settings): boolean {
  // A write takes the time back: that is told with its own bytes.
  const { mode = facts.mode, mtimeNs = facts.mtimeNs, owner = facts.owner } = node;
  const isNewFact = mode !== facts.mode || mtimeNs !== facts.mtimeNs || owner !== facts.owner;
  return node.pending !== pending || node.record !== record || isNewFact;
}
