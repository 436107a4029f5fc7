/** Mode and modification time of a folder, which the platform does not keep: this mount's own. */
export interface FolderFacts {
  readonly mode?: number;
  readonly mtimeNs?: bigint;
}

export interface FolderState {
  get(folderId: string): FolderFacts | undefined;
  /** Merged over what is there; durable soon. */
  set(folderId: string, facts: FolderFacts): void;
  delete(folderId: string): void;
  /** Waits until everything set is durable. */
  flush(): Promise<void>;
}
