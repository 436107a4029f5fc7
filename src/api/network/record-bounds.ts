const HEADER_BYTES = 5;
const APPLICATION_DATA = 23;

/** Counts the records of TLS in bytes that pass, by their headers. */
export class RecordBounds {
  /** Of those that TLS 1.3 protects, how many passed to their end. */
  sealedRecords = 0;
  readonly #header: number[] = [];
  #left = 0;

  take(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#header.length < HEADER_BYTES) {
        this.#header.push(bytes[at] ?? 0);
        at += 1;
        if (this.#header.length < HEADER_BYTES) continue;
        const [, , , high = 0, low = 0] = this.#header;
        this.#left = high * 256 + low;
      }
      const passed = Math.min(this.#left, bytes.length - at);
      this.#left -= passed;
      at += passed;
      if (this.#left > 0) continue;
      if (this.#header[0] === APPLICATION_DATA) this.sealedRecords += 1;
      this.#header.length = 0;
    }
  }
}
