import type { OwedDraft } from '../../content/ports.ts';
import type { FsError } from '../errors/fs-error.ts';

/** What an ended mount owed to the platform and that is no file's content here: it gets there beside the tree. */
export class RecoveredUpload {
  readonly path: string;
  readonly owed: OwedDraft;
  isOver = false;
  /** Why its bytes are not to be published but kept aside on this machine. */
  keepBecause: FsError | undefined;
  readonly #finish: () => Promise<void>;

  /** `finish` is one try. */
  constructor(path: string, owed: OwedDraft, finish: () => Promise<void>) {
    this.path = path;
    this.owed = owed;
    this.#finish = finish;
  }

  async finish(): Promise<void> {
    await this.#finish();
    this.isOver = true;
  }
}
