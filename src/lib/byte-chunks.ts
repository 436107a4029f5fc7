/** Bytes in order, lent out: they stay as they are until `release`, which the borrower calls exactly once. */
export interface ByteChunks {
  readonly chunks: readonly Uint8Array[];
  release?(): void;
}
