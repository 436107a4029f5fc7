import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Annotations } from '../../../content/ports.ts';
import { errorCode } from '../../../lib/error-code.ts';
import { syncDirectory } from '../../../lib/sync.ts';
import { FsError } from '../../errors/fs-error.ts';

/** Folder id and name, as the platform has them. */
export interface Place {
  readonly parent: string;
  readonly name: string;
}

/** A file that was moved aside, and what is still to be done about it. */
export type AsideEntry = AsideWork & {
  /** It is in the trash of its project, and is not deleted from there. */
  readonly inTrash?: boolean;
};

type AsideWork =
  /** On its way aside, and nobody was told yet: goes back. */
  | { readonly kind: 'leaving'; readonly fileId: string; readonly place: Place }
  /** Its name is gone and its handles still need it: to be deleted. */
  | { readonly kind: 'unlinked'; readonly fileId: string }
  /** A draft took its name. Deleted once that is published; it goes back when that never is. */
  | {
      readonly kind: 'superseded';
      readonly fileId: string;
      readonly place: Place;
      readonly draftId: string;
    }
  /** Another file takes its name. Until that has it, this one goes back; after that, it is to be deleted. */
  | {
      readonly kind: 'replaced';
      readonly fileId: string;
      readonly place: Place;
      readonly byFileId: string;
      /** The annotations that the new file inherits. */
      readonly carried: Annotations;
    };

/**
 * Files moved aside, on disk: one small JSON file each, written and synced before the platform is asked. So the next
 * mount knows everything that a mount which dies half-way leaves behind.
 */
export class AsideJournal {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Durable on return; replaces the entry of the same file. ENOSPC when the disk is full. */
  async put(entry: AsideEntry): Promise<void> {
    try {
      const made = await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      if (made !== undefined) await syncDirectory(dirname(made));
      await this.#write(entry);
      await syncDirectory(this.#directory);
    } catch (error) {
      throw isDiskFull(error) ? diskIsFull(this.#directory, error) : error;
    }
  }

  async remove(fileId: string): Promise<void> {
    await rm(this.#pathOf(fileId), { force: true });
  }

  async entries(): Promise<readonly AsideEntry[]> {
    const names = await readdir(this.#directory).catch(() => []);
    const texts = names.filter((name) => name.endsWith('.json'));
    return Promise.all(
      texts.map(
        async (name) => JSON.parse(await readFile(join(this.#directory, name), 'utf8')) as AsideEntry,
      ),
    );
  }

  /** Whole, or not at all. */
  async #write(entry: AsideEntry): Promise<void> {
    const temporary = join(this.#directory, `.${randomUUID()}`);
    try {
      await writeFile(temporary, JSON.stringify(entry), { flag: 'wx', mode: 0o600, flush: true });
      await rename(temporary, this.#pathOf(entry.fileId));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  #pathOf(fileId: string): string {
    return join(this.#directory, `${encodeURIComponent(fileId)}.json`);
  }
}

function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function diskIsFull(directory: string, cause: unknown): FsError {
  return new FsError('ENOSPC', `the disk of ${directory} is full; free space there`, { cause });
}
