/**
 * The file that took the name of a draft since it was begun: its own, whose publication had no answer, or somebody
 * else's. A draft must neither be published twice nor replace what an ended mount cannot have known.
 */
import type { Api } from '../../../api/api.ts';
import type { FileRecord } from '../../../api/model.ts';
import { ContentError, type ContentReader, type UploadTarget } from '../../ports.ts';
import type { UploadState } from '../journal/journal-entry.ts';
import type { DraftContent } from '../spool/draft-content.ts';
import { isUploadOpen } from './open-upload.ts';
import { entryAt, publishedAlready, type SameContent } from './published-already.ts';
import { sameBytes } from './same-bytes.ts';

export interface TakenNameOptions {
  readonly api: Api;
  readonly reader: ContentReader;
  readonly content: DraftContent;
  readonly signal: AbortSignal;
  readonly target: () => UploadTarget;
  /** The file that was under the target's name, and since when a new one may be ours. */
  readonly previous: () => { readonly fileId: string | undefined; readonly sinceMs: number };
  /** An ended mount was asked for it, as it is: what took the name since is newer, and not to be replaced. */
  readonly recovered: () => boolean;
  /** The upload of that mount. */
  readonly resumed: UploadState | undefined;
}

export class TakenName {
  readonly #options: TakenNameOptions;

  constructor(options: TakenNameOptions) {
    this.#options = options;
  }

  /** The draft's own file of this size, if it is there. `isSame` is that of `publishedAlready`. */
  own(sizeBytes: number, isSame: SameContent | undefined): Promise<FileRecord | undefined> {
    const { target, previous } = this.#options;
    return publishedAlready(this.#options, { target: target(), sizeBytes, ...previous(), isSame });
  }

  /** As `own`, of an upload that is gone: that of a recovered draft may be so without a completion, and the bytes decide. */
  ownOfGoneUpload(sizeBytes: number): Promise<FileRecord | undefined> {
    const { content, signal, recovered } = this.#options;
    const isSame: SameContent = (theirs) =>
      sameBytes(sizeBytes, (range) => content.read(range, signal), theirs);
    return this.own(sizeBytes, recovered() && !content.released ? isSame : undefined);
  }

  /**
   * Looks at the file that has the name of a recovered draft. Returns it when it is the draft's own file. `ContentError`
   * kind `changed` when it is another.
   */
  async ofRecovered(sizeBytes: number): Promise<FileRecord | undefined> {
    const { api, signal, target, previous, recovered, resumed } = this.#options;
    if (!recovered()) return undefined;
    const there = await entryAt(api, target());
    if (there === undefined || there.id === previous().fileId) return undefined;
    const isOpen = resumed !== undefined && (await isUploadOpen({ api, signal }, resumed.ticket.uploadId));
    const ours = isOpen ? undefined : await this.ownOfGoneUpload(sizeBytes);
    if (ours !== undefined) return ours;
    const taken = `another file (${there.id}) has taken the name ${target().name} since`;
    const choice = 'save this one, or give that one another name and retry';
    throw new ContentError('changed', `${taken}, and is not replaced: ${choice}`);
  }
}
