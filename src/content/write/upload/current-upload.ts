import { ContentError, type UploadTarget } from '../../ports.ts';
import type { UploadState } from '../journal/journal-entry.ts';
import type { PartLayout } from '../parts/part-plan.ts';
import { beginUpload } from './begin-upload.ts';
import { MultipartUpload, type UploadContext } from './multipart-upload.ts';

export interface CurrentUploadOptions {
  readonly context: UploadContext;
  /** Of an upload that begins now. */
  readonly preferredPartSizeBytes: () => number;
  readonly target: () => UploadTarget;
  /** One began or was given up: the journal must know. */
  readonly onChange: () => void;
  /** The upload of an ended mount. */
  readonly resumed: UploadState | undefined;
}

/**
 * The multipart upload of a draft, which has one at a time. The upload begins when the first part is full or the file is
 * published. Another one that fits replaces it, as long as no bytes are in the first one only.
 */
export class CurrentUpload {
  readonly #options: CurrentUploadOptions;
  #now: MultipartUpload | undefined;
  #beginning: Promise<MultipartUpload> | undefined;

  constructor(options: CurrentUploadOptions) {
    this.#options = options;
    const { resumed, context } = options;
    this.#now = resumed && new MultipartUpload(resumed, context);
  }

  /** Undefined: there is none, or it is being begun. */
  get now(): MultipartUpload | undefined {
    return this.#now;
  }

  get isBeginning(): boolean {
    return this.#beginning !== undefined;
  }

  /** Of the parts of this one, or of one that begins now. */
  get layout(): PartLayout {
    return this.#now?.layout ?? { partSizeBytes: this.#options.preferredPartSizeBytes(), grows: false };
  }

  /** It, when it has begun that is being begun; undefined when that failed, or there is none. */
  async begun(): Promise<MultipartUpload | undefined> {
    return this.#beginning?.catch(() => undefined) ?? this.#now;
  }

  /** Begins one for a file of exactly this size. */
  begin(sizeBytes: number): Promise<MultipartUpload> {
    return this.#begin(sizeBytes, sizeBytes);
  }

  /** Begins one, in place of that there is, for a file that is still being written and will have about so many bytes. */
  replace(expectedBytes: number): Promise<MultipartUpload> {
    const beginning = this.#replace(expectedBytes);
    const ended = (): void => {
      this.#beginning = undefined;
    };
    this.#beginning = beginning;
    beginning.then(ended, ended);
    return beginning;
  }

  /** It is completed, or gone at the service. */
  forget(): void {
    this.#now = undefined;
  }

  /** Gives it up, at the service too, which is not waited for. */
  async abandon(): Promise<void> {
    await this.begun();
    this.#drop();
  }

  /** As `abandon`, unless some of the bytes are nowhere else: then the next publication goes on with it. */
  async abandonUnlessReleased(): Promise<void> {
    await this.begun();
    if (!this.#options.context.content.released) this.#drop();
  }

  /** Throws when it cannot be given up for another one: some of the bytes are nowhere else. */
  requireRestart(): void {
    if (!this.#options.context.content.released) return;
    throw new ContentError(
      'failed',
      `${this.#options.target().name} is larger than the spool may get, and its upload cannot begin anew (raise --spool-size)`,
    );
  }

  #drop(): void {
    const upload = this.#now;
    this.#now = undefined;
    if (upload === undefined) return;
    this.#options.onChange();
    upload.abort();
  }

  async #replace(expectedBytes: number): Promise<MultipartUpload> {
    const outgrown = this.#now;
    if ((await outgrown?.completedBytes()) !== undefined) {
      const { name } = this.#options.target();
      // It alone tells of that file: the next publication asks it.
      throw new ContentError(
        'failed',
        `${name} was uploaded without an answer: close it before more is sent`,
      );
    }
    this.#now = undefined;
    outgrown?.abort();
    return this.#begin(expectedBytes, undefined);
  }

  async #begin(expectedBytes: number, sizeBytes: number | undefined): Promise<MultipartUpload> {
    const { context, preferredPartSizeBytes, target, onChange } = this.#options;
    const upload = {
      target: target(),
      preferredPartSizeBytes: preferredPartSizeBytes(),
      expectedBytes,
      sizeBytes,
    };
    this.#now = await beginUpload(upload, context);
    onChange();
    return this.#now;
  }
}
