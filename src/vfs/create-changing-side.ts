import type { ProcessTable } from '../lib/process-table.ts';
import { AsideJournal } from './change/aside/aside-journal.ts';
import { Asides } from './change/aside/asides.ts';
import { DraftAsides } from './change/aside/draft-asides.ts';
import { AttributeWriter } from './change/attributes/attribute-writer.ts';
import { PlatformMutations } from './change/platform-mutations.ts';
import { Trash } from './change/trash/trash.ts';
import { ClosedFiles, type LeftBehind } from './closed/closed-files.ts';
import { RecoveredUploads } from './closed/recovered-uploads.ts';
import { settleEdits } from './closed/settle-edits.ts';
import { ContentTable } from './model/content-table.ts';
import type { Mutations, OpenFiles } from './model/operations.ts';
import type { Tree } from './model/tree.ts';
import { Contents } from './open/contents.ts';
import { createOpenFiles } from './open/open-files.ts';
import { Publisher } from './publish/publisher.ts';
import type { Staging } from './publish/staging.ts';

export interface ChangingSideOptions {
  readonly processes: ProcessTable;
  /** Where the journal of files moved aside is kept; on no mount of ours. */
  readonly asideDirectory: string;
  /** Undefined: nothing but copies and moves gets onto volumes. */
  readonly staging?: Staging | undefined;
}

export interface ChangingSide {
  readonly openFiles: OpenFiles;
  readonly mutations: Mutations;
  /** Finishes or undoes what an ended mount left half-done; once, before the first request. */
  recover(): Promise<void>;
  /** After `recover`: goes on with the uploads that an ended mount left. */
  resumeUploads(): Promise<void>;
  /** Waits until everything that is closed is on the platform, or its failure recorded; answers what is not. */
  idle(signal: AbortSignal): Promise<LeftBehind>;
  /** Waits until what was closed at a path or below is on the platform; answers what cannot be, and why. */
  flush(path: string, signal: AbortSignal): Promise<readonly Error[]>;
  /** Tries to upload what was refused, or kept aside, once more; answers why it is not on the platform then. */
  retryKept(draftId: string, signal: AbortSignal): Promise<readonly Error[]>;
  /** Lets go of a file that was refused. False: none of those that have a place in the tree is of that draft. */
  dropKept(draftId: string): Promise<boolean>;
}

/** Puts open files and mutations together over one tree. */
export function createChangingSide(tree: Tree, options: ChangingSideOptions): ChangingSide {
  const journal = new AsideJournal(options.asideDirectory);
  const trash = new Trash(tree);
  const asides = new Asides(tree, journal, trash);
  const draftAsides = new DraftAsides(tree, asides, journal);
  const publisher = new Publisher(tree, options.staging, draftAsides);
  const table = new ContentTable();
  const closedFiles = new ClosedFiles(tree, publisher, table);
  const contents = new Contents({ tree, publisher, table, closedFiles });
  const openFiles = createOpenFiles({ tree, contents, closedFiles, processes: options.processes });
  const attributes = new AttributeWriter(tree, contents);
  const recovered = new RecoveredUploads({ tree, table, closedFiles, replaced: draftAsides });
  return {
    openFiles,
    mutations: new PlatformMutations({
      tree,
      contents,
      asides,
      trash,
      draftAsides,
      openFiles,
      closedFiles,
      attributes,
    }),
    recover: async () => {
      await asides.recover();
      await draftAsides.recover();
    },
    resumeUploads: () => recovered.begin(),
    retryKept: async (draftId, signal) => {
      const failures = await closedFiles.retry(draftId, signal);
      if (failures !== undefined) return failures;
      const edited = await tree.edits?.takeBack(draftId);
      return closedFiles.flush(edited ?? (await recovered.takeBack(draftId)), signal);
    },
    dropKept: (draftId) => closedFiles.drop(draftId),
    flush: (path, signal) => closedFiles.flush(path, signal),
    idle: async (signal) => {
      const left = await closedFiles.idle(signal);
      await attributes.idle(signal);
      const edited = await settleEdits(tree, signal);
      const labels = edited.map(({ edit }) => `${edit.label} (its metadata)`);
      return { ...left, waiting: [...left.waiting, ...labels], refused: await closedFiles.refused() };
    },
  };
}
