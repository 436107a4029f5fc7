/** Forms that calls of many subjects take. */

/** The caller that waits for the answer decides which call goes first when the rate budget is short. */
export type Priority = 'interactive' | 'data' | 'prefetch' | 'background';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default `interactive`. */
  readonly priority?: Priority;
  /** Aborted when somebody waits for the answer: the call is `interactive` from then on. */
  readonly urgent?: AbortSignal | undefined;
  /** Ends the call as long as it waits to be sent: it has changed nothing then. */
  readonly untilSent?: AbortSignal | undefined;
  /** How long it is tried when it keeps failing, where that is not the client's own time. */
  readonly timeoutMs?: number;
}

export interface ListOptions extends CallOptions {
  /** Told why an entry cannot be used, which is then left out. Without it one such entry fails the whole call. */
  readonly onUnusable?: ((reason: string) => void) | undefined;
}

export interface PageRequest {
  readonly offset: number;
  /** 1 to 100. */
  readonly limit: number;
}

/** A folder (by id) and a name in it. */
export interface Place {
  readonly parent: string;
  readonly name: string;
}
