import { findFiles } from '../../metadata/query/find-files.ts';
import type { Term } from '../../metadata/query/term.ts';
import type { FilePlace } from '../../places/places.ts';
import { FsError } from '../errors/fs-error.ts';
import { folderPlace } from '../listing/places-at.ts';
import type { ProjectFolderNode } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

/** So many files are looked at when the platform cannot search. */
const FILES_MOST = 10_000;

interface Result {
  readonly files: Promise<readonly FilePlace[]>;
  readonly atMs: number;
  readonly changes: number;
}

/** What directories of queries hold: asked for once per TTL, and anew after a change by this mount. */
export class Queries {
  readonly #tree: Tree;
  readonly #results = new WeakMap<readonly Term[], Result>();
  #changes = 0;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** This mount changed something that a query may be about. */
  changed(): void {
    this.#changes += 1;
  }

  /** @throws FsError E2BIG */
  files(
    folder: ProjectFolderNode,
    terms: readonly Term[],
    signal: AbortSignal,
  ): Promise<readonly FilePlace[]> {
    const { clock, options } = this.#tree;
    const known = this.#results.get(terms);
    const nowMs = clock.elapsed();
    if (known && known.changes === this.#changes && nowMs - known.atMs < options.metadataTtlMs)
      return known.files;
    const files = this.#ask(folder, terms, signal);
    const result = { files, atMs: nowMs, changes: this.#changes };
    this.#results.set(terms, result);
    files.catch(() => {
      if (this.#results.get(terms) === result) this.#results.delete(terms);
    });
    return files;
  }

  async #ask(
    folder: ProjectFolderNode,
    terms: readonly Term[],
    signal: AbortSignal,
  ): Promise<readonly FilePlace[]> {
    try {
      return await findFiles(folderPlace(folder), terms, {
        api: this.#tree.api,
        signal,
        filesMost: FILES_MOST,
      });
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'TooManyFilesError') throw error;
      const remedy = 'add a condition KEY=VALUE, or use svcfs find';
      throw new FsError('E2BIG', `${error.message}: ${remedy}`, { cause: error });
    }
  }
}
