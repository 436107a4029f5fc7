/** One entry that a command does something with. */
export interface Item {
  /** As a person knows it. */
  readonly source: string;
  /** Where it goes, for what goes somewhere. */
  readonly target?: string | undefined;
  /** Of its content, or of all files below; undefined where that was not asked for. */
  readonly bytes?: number | undefined;
}

export type Outcome =
  | { readonly kind: 'done' }
  /** It was left as it is on purpose. */
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }
  /** An interrupt or a failure of the service came first. */
  | { readonly kind: 'not sent'; readonly reason?: string }
  /** The platform has it in hand, and nobody was to wait for that. */
  | { readonly kind: 'started'; readonly job: string }
  /** The platform has it in hand, and nobody waits for that any more. */
  | { readonly kind: 'goes on'; readonly reason: string };

export const DONE: Outcome = { kind: 'done' };
export const NOT_SENT: Outcome = { kind: 'not sent' };

export function failed(reason: string): Outcome {
  return { kind: 'failed', reason };
}
