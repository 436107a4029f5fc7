import { isDeepStrictEqual } from 'node:util';
import type { Annotations } from '../ports.ts';
import { withMetadata, withoutMetadata } from './file-changes.ts';

/** What a draft's file is given with its content: what was set on it, and what is noted of its bytes. */
export class DraftAnnotations {
  #all: Annotations | undefined;
  #noted: Annotations['metadata'] = {};

  constructor(all: Annotations | undefined) {
    this.#all = all;
  }

  /** Undefined: the file has them, or there are none. */
  get all(): Annotations | undefined {
    return this.#all;
  }

  /** In place of what was set before; false: they are as they were. */
  set(annotations: Annotations | undefined): boolean {
    const all = withMetadata(annotations, this.#noted);
    if (isDeepStrictEqual(all, this.#all)) return false;
    this.#all = all;
    return true;
  }

  /** Metadata of our own, which tells of the bytes as they are. */
  note(metadata: Annotations['metadata']): void {
    this.#noted = metadata;
    this.#all = withMetadata(this.#all, metadata);
  }

  /** The bytes are others now. */
  forgetNoted(): void {
    this.#all = withoutMetadata(this.#all, this.#noted);
    this.#noted = {};
  }

  /** The file has them; false: others were set since they were asked for. */
  given(annotations: Annotations): boolean {
    if (this.#all !== annotations) return false;
    this.#all = undefined;
    return true;
  }

  /** The file has what it is to have. */
  clear(): void {
    this.#all = undefined;
  }
}
