import type { OwedDraft } from '../../content/ports.ts';
import type { FsError } from '../errors/fs-error.ts';

/** An upload that an ended mount owed and that is no file's content here: it gets to the platform beside the tree. */
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
