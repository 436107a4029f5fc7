import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What changed so short a time before a look may change again under the same time. */
const SAME_TIME_MS = 10_000;

/** Finds the blobs that are directories of parts. Folders without any are looked into again when something changed in them. */
export class PartedBlobs {
  readonly #directory: string;
  /** When the folders that hold files alone last changed, by name. */
  readonly #settled = new Map<string, number>();

  /** @param directory Holds folders of blobs */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Of the blobs, also of those whose joining was cut off. */
  async *paths(): AsyncGenerator<string> {
    for (const folder of await readdir(this.#directory)) {
      const path = join(this.#directory, folder);
      const { mtimeMs } = await stat(path);
      if (this.#settled.get(folder) === mtimeMs) continue;
      const entries = await readdir(path, { withFileTypes: true });
      const parted = entries.filter((entry) => entry.isDirectory());
      if (parted.length === 0 && mtimeMs < Date.now() - SAME_TIME_MS) this.#settled.set(folder, mtimeMs);
      for (const { name } of parted) yield join(path, name.replace(/\.parts$/, ''));
    }
  }
}
