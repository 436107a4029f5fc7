import type { LentBytes, WaitingBody } from '../api.ts';
import type { RangeConnection } from './range-connection.ts';

/** The rest of a body that a paused connection holds. */
export class BodyInSocket implements WaitingBody {
  readonly #connection: RangeConnection;
  readonly #onTaken: (bytes: number) => void;
  readonly #patience: NodeJS.Timeout;
  #position: number;
  #isLent = false;
  #isOver = false;

  /** @param onTaken Called with how many bytes more are off the socket. */
  constructor(
    connection: RangeConnection,
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

  lend(into: Uint8Array): LentBytes | undefined {
    const connection = this.#connection;
    if (this.#isOver || this.#isLent || connection.waitingBytes < into.length) return undefined;
    this.#patience.refresh();
    this.#isLent = true;
    this.#position += into.length;
    let isTaken = false;
    return {
      spare: into,
      get socket() {
        return connection.descriptor;
      },
      taken: () => {
        isTaken = true;
      },
      release: () => this.#released(into.length, isTaken),
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

  #released(bytes: number, isTaken: boolean): void {
    this.#isLent = false;
    if (!isTaken) {
      this.#connection.close(new Error('what was lent of an answer was not taken'));
      return;
    }
    if (this.#isOver) this.#connection.resume();
    this.#onTaken(bytes);
  }
}
