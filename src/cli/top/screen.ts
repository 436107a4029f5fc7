import type { ReadStream, WriteStream } from 'node:tty';
import type { Size } from './layout.ts';

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const TO_LINE_END = '\x1b[K';
const TO_SCREEN_END = '\x1b[J';

const CTRL_C = '\x03';
const CTRL_Z = '\x1a';
const USUAL: Size = { width: 80, height: 24 };
/** As a shell says that a program was ended by a signal. */
const SIGNALS = { SIGTERM: 143, SIGHUP: 129 } as const;

export interface ScreenEvents {
  readonly onKey: (key: string) => void;
  readonly onResize: () => void;
  readonly onQuit: () => void;
}

/** A terminal that a program draws on. However the program ends, or is stopped, the terminal is as it was before. */
export class Screen {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #events: ScreenEvents;
  #isEntered = false;

  constructor(input: ReadStream, output: WriteStream, events: ScreenEvents) {
    this.#input = input;
    this.#output = output;
    this.#events = events;
  }

  get size(): Size {
    const { columns, rows } = this.#output;
    return { width: columns || USUAL.width, height: rows || USUAL.height };
  }

  open(): void {
    process.on('exit', this.#leave);
    process.on('SIGCONT', this.#enter);
    process.on('SIGINT', this.#events.onQuit);
    for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => process.exit(code));
    this.#output.on('resize', this.#events.onResize);
    // The terminal has gone away.
    this.#output.on('error', this.#events.onQuit);
    this.#input.setEncoding('utf8').on('data', this.#onData).on('end', this.#events.onQuit);
    this.#enter();
  }

  draw(lines: readonly string[]): void {
    if (!this.#isEntered) return;
    const text = lines.map((line) => `${line}${TO_LINE_END}`).join('\r\n');
    this.#output.write(`${HOME}${text}${TO_SCREEN_END}`);
  }

  close(): void {
    this.#leave();
    this.#input.pause();
  }

  readonly #enter = (): void => {
    if (this.#isEntered) return;
    this.#isEntered = true;
    this.#input.setRawMode(true).resume();
    this.#output.write(ENTER);
    this.#events.onResize();
  };

  readonly #leave = (): void => {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    try {
      this.#output.write(LEAVE);
      this.#input.setRawMode(false);
    } catch {
      // There is no terminal any more.
    }
  };

  readonly #onData = (data: string | Buffer): void => {
    for (const key of String(data)) {
      if (key === CTRL_C) this.#events.onQuit();
      else if (key === CTRL_Z) this.#stop();
      else this.#events.onKey(key);
    }
  };

  #stop(): void {
    this.#leave();
    process.kill(process.pid, 'SIGTSTP');
  }
}
