import type { UploadProgress } from '../../content/ports.ts';
import type { Amount } from './standing.ts';

/** How far uploads are that go one after the other: a mount tells of those only that are not over. */
export class UploadTally {
  readonly #sizes = new Map<string, number>();

  /** What is told now; a file that was told before and is told no more is uploaded. */
  look(uploads: readonly UploadProgress[]): { readonly done: Amount; readonly total: Amount } {
    const left = new Map<string, UploadProgress>();
    for (const upload of uploads) {
      // A program has it open: nobody waits for it yet.
      if (upload.state === 'writing' && !this.#sizes.has(upload.label)) continue;
      left.set(upload.label, upload);
      this.#sizes.set(upload.label, upload.sizeBytes);
    }
    const totalBytes = [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
    const leftBytes = [...left.values()].reduce(
      (sum, { sizeBytes, sentBytes }) => sum + Math.max(0, sizeBytes - sentBytes),
      0,
    );
    return {
      done: { items: this.#sizes.size - left.size, bytes: totalBytes - leftBytes },
      total: { items: this.#sizes.size, bytes: totalBytes },
    };
  }
}
