import { StringDecoder } from 'node:string_decoder';

const LINE_LENGTH_MAX = 64 * 1024;

/** Divides bytes as they come into lines; of one that is too long, the beginning. */
export class LineSplitter {
  readonly #take: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  write(chunk: Uint8Array): void {
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n');
    this.#rest = (this.#rest + first).slice(0, LINE_LENGTH_MAX);
    for (const next of others) {
      this.#take(this.#rest);
      this.#rest = next.slice(0, LINE_LENGTH_MAX);
    }
  }
}
