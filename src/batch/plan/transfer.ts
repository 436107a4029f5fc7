import type { Api } from '../../api/api.ts';
import type { AnyPlace, DirectoryPlace } from '../../places/any-place.ts';

export type Operation = 'copy' | 'move';

/** One entry that is to be copied or moved. */
export interface Transfer {
  /** As a person knows it. */
  readonly source: string;
  readonly place: AnyPlace;
  readonly target: string;
  readonly to: { readonly directory: DirectoryPlace; readonly name: string };
}

export type TransferApi = Pick<Api, 'capabilities' | 'projects' | 'files' | 'volumes'>;

/** A file that would be replaced, and the one that would replace it. */
export interface Replacement {
  readonly target: string;
  readonly before: { readonly modifiedMs: number | undefined };
  readonly after: { readonly modifiedMs: number | undefined };
}

export interface TransferPlanning {
  readonly operation: Operation;
  readonly recursive: boolean;
  readonly api: TransferApi;
  readonly signal: AbortSignal;
  /** Whether `mayReplace` may say no: what is there is looked for first then. */
  readonly asksFirst: boolean;
  /** Whether a file that is there is replaced; else why it is left alone. */
  readonly mayReplace: (replacement: Replacement) => Promise<true | string>;
  /** Told of what cannot be done. The rest goes on. */
  readonly onRefused: (source: string, reason: string) => void;
  /** Told of what is left as it is. */
  readonly onSkipped: (source: string, target: string, reason: string) => void;
}
