import type { ReplacedFile } from '../model/file-content.ts';
import type { ProjectFileNode } from '../model/node.ts';

/**
 * Published files whose names drafts took, and that could not keep their places on the platform until then. They wait
 * aside until the draft is published, and are deleted then. They go back when it never is.
 */
export interface ReplacedByDrafts {
  /** Moves the file that has the name of `node` on the platform aside. A failure leaves it there, or waiting. */
  setAside(
    draftId: string,
    what: { readonly file: ReplacedFile; readonly node: ProjectFileNode },
  ): Promise<void>;
  /** Whether the file that has the name of a node goes to the trash: a draft may not replace it in its place. */
  keeps(node: ProjectFileNode): boolean;
  isAside(draftId: string, fileId: string): boolean;
  /** Puts it back under its name, if it is aside. A failure is recorded, and leaves it waiting. */
  tryPutBack(draftId: string, fileId: string): Promise<void>;
  /** The draft is published, or its name was removed: deletes what waits, each with its last handle. Never rejects. */
  deleteFor(draftId: string): Promise<void>;
  /** The draft will never be published: puts back what waits, where the name is free. Never rejects. */
  putBackFor(draftId: string): Promise<void>;
  /** Of what ended mounts left aside: all but what waits for these drafts goes back. Never rejects. */
  putBackAllBut(draftIds: ReadonlySet<string>): Promise<void>;
}
