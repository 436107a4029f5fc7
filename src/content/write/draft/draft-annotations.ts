import { isDeepStrictEqual } from 'node:util';
import { METADATA_PAIRS_MAX } from '../../../contract/limits.ts';
import type { Annotations } from '../../ports.ts';
import type { DraftState } from '../journal/journal-entry.ts';
import { type FileChanges, withMetadata, withoutMetadata } from './file-changes.ts';

type AnnotationState = Pick<DraftState, 'annotations' | 'noted' | 'dropped'>;

/** The changes that a draft's file gets with its content: those that programs set, and notes about its bytes. */
export class DraftAnnotations {
  #all: Annotations | undefined;
  #noted: Annotations['metadata'];
  /** Keys of what was set and sent: the file may have them. */
  #sent: readonly string[] = [];
  /** Those of them that were taken back. */
  #dropped: readonly string[];

  constructor(state: AnnotationState) {
    this.#all = state.annotations;
    this.#noted = notedIn(state);
    this.#dropped = state.dropped ?? [];
  }

  /** The changes that the file has not got yet; undefined: none. */
  get owed(): FileChanges | undefined {
    if (this.#all === undefined && this.#dropped.length === 0) return undefined;
    return { annotations: this.#all, dropped: this.#dropped };
  }

  /** As the journal tells it. */
  get entry(): AnnotationState {
    const dropped = this.#dropped.length === 0 ? undefined : this.#dropped;
    return { annotations: this.#all, noted: this.#noted, dropped };
  }

  /** In place of what was set before; false: they are as they were. */
  set(annotations: Annotations | undefined): boolean {
    const all = withNoted(annotations, this.#noted);
    const dropped = union(this.#sent, this.#dropped).filter(
      (key) => !Object.hasOwn(all?.metadata ?? {}, key),
    );
    if (isDeepStrictEqual([all, dropped], [this.#all, this.#dropped])) return false;
    this.#all = all;
    this.#dropped = dropped;
    return true;
  }

  /** The annotations that go with the content of a file which has no others. */
  sendAlong(): Annotations | undefined {
    this.#dropped = [];
    this.#sent = this.#keysSet;
    return this.#all;
  }

  /** As `owed`, and that is sent now. */
  sendAfter(): FileChanges | undefined {
    this.#sent = union(this.#sent, this.#keysSet);
    return this.owed;
  }

  /** Metadata of our own, which tells of the bytes as they are: left out where there is no room for it. */
  note(metadata: Annotations['metadata']): void {
    this.#noted = metadata;
    this.#all = withNoted(this.#all, metadata);
  }

  /** The bytes are others now. */
  forgetNoted(): void {
    this.#all = withoutMetadata(this.#all, this.#noted);
    this.#noted = {};
  }

  /** The file is so; false: others were set since they were asked for. */
  given({ annotations, dropped }: FileChanges): boolean {
    if (this.#all !== annotations || this.#dropped !== dropped) return false;
    this.#clear();
    return true;
  }

  /** Someone else gave the file these: it has what it is to have. */
  sentElsewhere(annotations: Annotations | undefined): void {
    this.#sent = Object.keys(annotations?.metadata ?? {});
    this.#clear();
  }

  /** The file has what it is to have. */
  #clear(): void {
    this.#all = undefined;
    this.#dropped = [];
  }

  /** Without what is noted: that is not taken back, but told of other bytes. */
  get #keysSet(): readonly string[] {
    return Object.keys(this.#all?.metadata ?? {}).filter((key) => !Object.hasOwn(this.#noted, key));
  }
}

/** A note gives way to a value that a program set. */
function withNoted(
  annotations: Annotations | undefined,
  noted: Annotations['metadata'],
): Annotations | undefined {
  const all = withMetadata(annotations, noted);
  return Object.keys(all?.metadata ?? {}).length > METADATA_PAIRS_MAX ? annotations : all;
}

function union(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])];
}

/** The annotations set on a draft that an ended mount left, without those that describe its bytes. */
export function setIn(state: AnnotationState): Annotations | undefined {
  return withoutMetadata(state.annotations, notedIn(state));
}

function notedIn({ annotations, noted }: AnnotationState): Annotations['metadata'] {
  if (noted !== undefined) return noted;
  // A journal of before does not tell them apart: a sum left out is better than one of other bytes.
  const sum = annotations?.metadata['md5_sum'];
  return sum === undefined ? {} : { md5_sum: sum };
}
