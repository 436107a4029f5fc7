import type { Owner, ProjectFolderNode } from './node.ts';

/** Mode, modification time and owner of a folder, which the platform does not keep: this mount's own. */
export interface FolderFacts {
  readonly mode?: number;
  readonly mtimeNs?: bigint;
  readonly owner?: Owner;
}

export interface FolderState {
  get(folderId: string): FolderFacts | undefined;
  /** Merged over what is there; durable soon. */
  set(folderId: string, facts: FolderFacts): void;
  /** The folder's contents changed: a time that a program set no longer holds. */
  forgetTime(folderId: string): void;
  delete(folderId: string): void;
  /** Waits until everything set is durable. */
  flush(): Promise<void>;
}

/** By which the facts of a folder are found; the project's own directory has no record. */
export function folderKey({ project, record }: Pick<ProjectFolderNode, 'project' | 'record'>): string {
  return record?.id ?? `project:${project.id}`;
}
