/** Bytes that wait in a socket of this process, the next to be taken off it and all there. */
export interface SocketBytes {
  /** The socket's descriptor; -1 when the connection is gone meanwhile. */
  readonly socket: number;
  /** Room for a copy of them; as long as they are. */
  readonly spare: Uint8Array;
  /** Whoever took all of them off the socket says so, before `release`. */
  taken(): void;
}

/** Bytes in order, lent out: they stay as they are until `release`, which the borrower calls exactly once. */
export interface ByteChunks {
  readonly chunks: readonly Uint8Array[];
  /** What follows the chunks; only for a borrower who said that he takes bytes off a socket. */
  readonly rest?: SocketBytes | undefined;
  release?(): void;
}
