import type { FolderFacts } from '../../src/vfs/model/folder-state.ts';

export class FolderStateInMemory {
  readonly #facts = new Map<string, FolderFacts>();

  get(folderId: string): FolderFacts | undefined {
    return this.#facts.get(folderId);
  }

  set(folderId: string, facts: FolderFacts): void {
    this.#facts.set(folderId, { ...this.#facts.get(folderId), ...facts });
  }

  forgetTime(folderId: string): void {
    const { mtimeNs: _, ...others } = this.#facts.get(folderId) ?? {};
    if (this.#facts.has(folderId)) this.#facts.set(folderId, others);
  }

  delete(folderId: string): void {
    this.#facts.delete(folderId);
  }

  async flush(): Promise<void> {}
}
