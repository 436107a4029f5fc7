import type { TakenBytes } from '../../lib/byte-chunks.ts';
import type { LentBytes, WaitingBody } from '../storage-client.ts';
import type { PausableConnection } from './store-connection.ts';

const NOTHING: TakenBytes = { bytes: 0, reads: 0 };

/** The rest of a body that a paused connection holds. */
export class BodyInSocket implements WaitingBody {
  readonly #connection: PausableConnection;
  readonly #onTaken: (bytes: number) => void;
  readonly #patience: NodeJS.Timeout;
  #position: number;
  #isLent = false;
  #isOver = false;

  /** @param onTaken Called with how many bytes more are off the socket. */
  constructor(
    connection: PausableConnection,
    { position, onTaken }: { readonly position: number; readonly onTaken: (bytes: number) => void },
  ) {
    this.#connection = connection;
    this.#position = position;
    this.#onTaken = onTaken;
    this.#patience = setTimeout(() => this.receive(), connection.bodyWaitMs);
    connection.pause();
  }

  get position(): number {
    return this.#position;
  }

  lend(into: Uint8Array, after: Uint8Array): LentBytes | undefined {
    const connection = this.#connection;
    if (this.#isOver || this.#isLent || connection.waitingBytes < into.length) return undefined;
    this.#patience.refresh();
    this.#isLent = true;
    this.#position += into.length;
    let taken = NOTHING;
    return {
      spare: into,
      after,
      get socket() {
        return connection.descriptor;
      },
      taken: (what) => {
        taken = what;
      },
      release: () => {
        this.#released(into.length, taken);
        return taken;
      },
    };
  }

  receive(): void {
    if (this.#isOver) return;
    this.end();
    if (!this.#isLent) this.#connection.resume();
  }

  /** Lends nothing more. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#patience);
  }

  #released(lentBytes: number, { bytes, spoiled }: TakenBytes): void {
    this.#isLent = false;
    this.#position += Math.max(0, bytes - lentBytes);
    const isUsable = bytes >= lentBytes && !spoiled;
    if (this.#isOver && isUsable) this.#connection.resume();
    this.#onTaken(bytes);
    if (!isUsable) this.#connection.close(new Error('what was lent of an answer was not taken'));
  }
}
