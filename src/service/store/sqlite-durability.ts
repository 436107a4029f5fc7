import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GroupSync } from '../../lib/group-sync.ts';
import { syncDirectory } from '../../lib/sync.ts';
import { DatabaseError } from './database-failure.ts';

/**
 * Has commits on the disk before anybody is told of them (group commit).
 *
 * SQLite itself, with `synchronous = full`, would sync the log for each commit and stop the process meanwhile. With
 * `normal` it syncs only what must not be mixed up, before and after a checkpoint, so that the database is whole after a
 * power failure and ends with some commit. The sync that makes a commit durable is done here: one for all that are
 * committed when it begins, while the next ones are at work.
 */
export class SqliteDurability {
  readonly #file: string | undefined;
  readonly #syncs = new GroupSync(() => this.#sync());
  #log: FileHandle | undefined;
  #failure: DatabaseError | undefined;

  /** @param file The database, in WAL mode; undefined when it is in no such mode, and SQLite syncs each commit itself. */
  constructor(file: string | undefined) {
    this.#file = file;
  }

  /** To be called when a connection has read from the database: its log is there then. */
  async open(): Promise<void> {
    if (this.#file === undefined) return;
    this.#log = await open(`${this.#file}-wal`, 'r');
    // Syncs the commits that SQLite made before this, and the names of its files.
    await this.#log.sync();
    await syncDirectory(dirname(this.#file));
  }

  /** Something was committed. */
  note(): void {
    this.#syncs.note();
  }

  /** Resolves when everything that was committed before the call is durable. @throws DatabaseError `unsynced` */
  async settled(): Promise<void> {
    this.check();
    await this.#syncs.settled();
  }

  /** @throws DatabaseError `unsynced` when a sync failed before. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  async close(): Promise<void> {
    await this.#log?.close();
  }

  /** A later sync that succeeds would say nothing of what this one may have lost (fsync(2)): nothing is believed any more. */
  async #sync(): Promise<void> {
    try {
      await this.#log?.datasync();
    } catch (error) {
      this.#failure = new DatabaseError('unsynced', error);
      throw this.#failure;
    }
  }
}
