import { basename, dirname } from 'node:path/posix';
import type { Draft, OwedDraft, Recovery } from '../../content/ports.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { replacing } from '../attributes/owe-change.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { ContentTable } from '../model/content-table.ts';
import { nameOnPlatform } from '../model/escape.ts';
import { folderIdOf, type Node, type ProjectFolderNode } from '../model/node.ts';
import { nodeAt } from '../model/node-at.ts';
import type { Tree } from '../model/tree.ts';
import type { ReplacedByDrafts } from '../publish/replaced-by-drafts.ts';
import { showGone } from '../publish/staged-removals.ts';
import type { ClosedFiles } from './closed-files.ts';
import { keptAside } from './give-up.ts';
import { RecoveredUpload } from './recovered-upload.ts';

/** A mount begins without knowing where a file hangs rather than late: then that is looked for again. */
const LOOK_MS = 10_000;

/** The entry that has the name of a file whose content is owed. */
interface FoundPlace {
  readonly parent: ProjectFolderNode;
  readonly name: string;
  readonly node: Node | undefined;
}

export interface RecoveredUploadsParts {
  readonly tree: Tree;
  readonly table: ContentTable;
  readonly closedFiles: ClosedFiles;
  readonly replaced: ReplacedByDrafts;
}

/**
 * Goes on with uploads that an ended mount had not finished.
 *
 * The content of a file in a project becomes the content of its node again, as it was before that mount ended. Programs
 * can read, write, rename and remove it, whether it is uploaded or not. Other content goes to the platform beside the
 * tree, or is kept aside: that of files on their way to a volume, and of names that other clients took since.
 */
export class RecoveredUploads {
  readonly #tree: Tree;
  readonly #table: ContentTable;
  readonly #closedFiles: ClosedFiles;
  readonly #replaced: ReplacedByDrafts;

  constructor({ tree, table, closedFiles, replaced }: RecoveredUploadsParts) {
    this.#tree = tree;
    this.#table = table;
    this.#closedFiles = closedFiles;
    this.#replaced = replaced;
  }

  /** Before the first request: resolves when the files are in the tree; what is owed follows. */
  async begin(): Promise<void> {
    const recoveries = await this.#tree.writer.recover();
    await this.#replaced.putBackAllBut(new Set(recoveries.flatMap(stillOwed)));
    await Promise.all(recoveries.map((recovery) => this.#begin(recovery)));
  }

  /** Uploads a kept file after all. Throws the reason that keeps it where it is. */
  async takeBack(draftId: string): Promise<string> {
    const { label, owed } = await this.#tree.writer.takeBack(draftId);
    await this.#goOn(label, owed);
    return label;
  }

  async #begin({ draftId, label, outcome }: Recovery): Promise<void> {
    switch (outcome.kind) {
      case 'owed':
        return this.#goOn(label, this.#withReplaced(outcome.owed, draftId));
      case 'kept':
        return this.#tell(label, `${outcome.reason}; the written bytes are kept at ${outcome.path}`);
      case 'lost':
        return this.#tell(label, outcome.reason);
      case 'failed':
        return this.#tell(
          label,
          `it could not be recovered, and is left to the next mount: ${outcome.error}`,
        );
      default:
        return outcome satisfies never;
    }
  }

  async #goOn(path: string, owed: OwedDraft): Promise<void> {
    this.#tree.log.info({ path }, 'upload goes on');
    const signal = AbortSignal.timeout(LOOK_MS);
    const adopted = await this.#adopt(path, owed, signal).catch(() => undefined);
    if (adopted === true) return;
    const upload = new RecoveredUpload(path, owed, async () => {
      if (adopted === false || !(await this.#adopt(path, owed, NEVER_ABORTED))) await this.#finishOver(owed);
    });
    this.#closedFiles.bring(upload);
  }

  /** What it replaces is owed nothing any more: its new content has that. */
  #finishOver(owed: OwedDraft): Promise<void> {
    const files = owed.target.replaces === undefined ? [] : [owed.target.replaces];
    return replacing(
      this.#tree,
      files,
      () => this.#finish(owed),
      () => files,
    );
  }

  /** A file that goes on to a volume leaves the staging folder, whether it gets there or not. */
  async #finish({ target, finish }: OwedDraft): Promise<void> {
    try {
      await finish();
    } finally {
      if (target.onward) showGone(this.#tree, target);
    }
  }

  /** With it ends the waiting of what the draft took the place of. */
  #withReplaced(owed: OwedDraft, draftId: string | undefined): OwedDraft {
    if (draftId === undefined) return owed;
    return {
      ...owed,
      finish: async () => {
        await owed.finish();
        await this.#replaced.deleteFor(draftId);
      },
      keep: async (because) => {
        const kept = await owed.keep(because);
        await this.#replaced.putBackFor(draftId);
        return kept;
      },
    };
  }

  /** Answers whether it is a file's content in the tree now, or superseded by one. */
  async #adopt(path: string, owed: OwedDraft, signal: AbortSignal): Promise<boolean> {
    const { draft, target } = owed;
    const place = draft && (await this.#placeOf(path, target.parent, signal));
    if (!place || nameOnPlatform(place.name) !== target.name) return false;
    const node = place.node ?? this.#tree.newFile(place.parent, place.name);
    if (node.kind !== 'project-file') return false;
    if (this.#table.find(node)?.hasDraft) {
      await this.#supersede(path, draft);
      return true;
    }
    // Another file has the name: it may be this one, whose completion that mount did not hear of.
    if (node.record && node.record.id !== target.replaces) return false;
    if (!place.node) this.#tree.placed(node);
    this.#closedFiles.adopt(node, { ...owed, draft });
    return true;
  }

  /** Undefined: the folder is not there any more, or another one. */
  async #placeOf(path: string, folderId: string, signal: AbortSignal): Promise<FoundPlace | undefined> {
    const name = basename(path);
    try {
      const parent = await nodeAt(this.#tree, dirname(path), signal);
      if (parent.kind !== 'project-folder') return undefined;
      const node = await this.#tree.childOf(parent, name, signal);
      return folderIdOf(parent) === folderId ? { parent, name, node } : undefined;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #supersede(path: string, draft: Draft): Promise<void> {
    const because = new FsError('ESTALE', 'it was written anew before what an ended mount left was uploaded');
    const kept = await keptAside(draft, because, this.#tree.clock.now());
    await this.#replaced.putBackFor(draft.id);
    this.#tree.recordError({ op: 'recover', path }, kept);
  }

  #tell(path: string, text: string): void {
    this.#tree.recordError({ op: 'recover', path }, new FsError('EIO', text));
  }
}

/** By this mount, or the next. */
function stillOwed({ draftId, outcome }: Recovery): readonly string[] {
  return draftId !== undefined && (outcome.kind === 'owed' || outcome.kind === 'failed') ? [draftId] : [];
}
