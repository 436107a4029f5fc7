import type { ReplacedFile } from '../../model/file-content.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../model/node.ts';

export interface FileRename {
  readonly source: ProjectFileNode;
  readonly parent: ProjectFolderNode;
  readonly name: string;
  readonly target: ProjectFileNode | undefined;
  readonly noReplace: boolean;
  /** The platform has just refused the name: another client has it, whatever is known of the target. */
  readonly isTaken: boolean;
  /** Withdraws a rename that is one call, as long as that was not sent. */
  readonly untilSent?: AbortSignal | undefined;
}

export interface FileReplacement extends FileRename {
  /** The file that has the new name on the platform. */
  readonly replaced: ReplacedFile | undefined;
  /** The source is closed, and goes to the platform under its new name only. */
  readonly isOnlyHere: boolean;
}
