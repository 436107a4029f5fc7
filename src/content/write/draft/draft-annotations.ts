import { isDeepStrictEqual } from 'node:util';
import type { Annotations } from '../../ports.ts';
import type { DraftState } from '../journal/journal-entry.ts';
import { withMetadata, withoutMetadata } from './file-changes.ts';

type AnnotationState = Pick<DraftState, 'annotations' | 'noted'>;

/** What a draft's file is given with its content: what was set on it, and what is noted of its bytes. */
export class DraftAnnotations {
  #all: Annotations | undefined;
  #noted: Annotations['metadata'];

  constructor(state: AnnotationState) {
    this.#all = state.annotations;
    this.#noted = notedIn(state);
  }

  /** Undefined: the file has them, or there are none. */
  get all(): Annotations | undefined {
    return this.#all;
  }

  /** As the journal tells it. */
  get entry(): AnnotationState {
    return { annotations: this.#all, noted: this.#noted };
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

/** What was set on a draft that an ended mount left, without what that mount noted of its bytes. */
export function setIn(state: AnnotationState): Annotations | undefined {
  return withoutMetadata(state.annotations, notedIn(state));
}

function notedIn({ annotations, noted }: AnnotationState): Annotations['metadata'] {
  if (noted !== undefined) return noted;
  // A journal of before does not tell them apart: a sum left out is better than one of other bytes.
  const sum = annotations?.metadata['md5_sum'];
  return sum === undefined ? {} : { md5_sum: sum };
}
