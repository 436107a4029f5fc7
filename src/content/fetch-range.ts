import type { WaitingBody } from '../api/storage-client.ts';

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** The first so many bytes of the range are there, and stay. */
  readonly onProgress?: ((filledBytes: number) => void) | undefined;
  /** The rest of the range waits in its socket, for a while: not where it has to be kept on the disk. */
  readonly onWaiting?: ((body: WaitingBody) => void) | undefined;
  /** When the reader began to wait (`Clock.monotonic`): the store's time to answer counts from then. Default: now. */
  readonly sinceMs?: number | undefined;
}

/** All bytes of the range are there. */
export interface Fetched {
  /** Someone else reads them still: the memory must stay as it is until this settles, and it never rejects. */
  readonly inUse?: Promise<void> | undefined;
}

/** Fills `into` with a source's bytes from `offset` on. When it settles, it writes into the memory no more. */
export type FetchRange = (offset: number, into: Uint8Array, options: FetchOptions) => Promise<Fetched>;
