import type { ContentVersion } from './ports.ts';

/** A file of this machine that holds the bytes of a version and nothing else, as long as it is not released. */
export interface LocalCopy {
  readonly descriptor: number;
  release(): void;
}

export interface LocalCopies {
  /** Undefined: there is none that is whole and was found to be right. */
  of(version: ContentVersion, signal: AbortSignal): Promise<LocalCopy | undefined>;
}
