import type { ServerResponse } from 'node:http';
import { SAFE_HEADERS } from './headers.ts';

/** A reader that takes nothing for this much is not written to: it gets the next state, not all of them. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** Server-sent events to one page. A state is sent when it differs from the last one of its name. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #last = new Map<string, string>();

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, { ...SAFE_HEADERS, 'content-type': 'text/event-stream' });
    // A page whose server ended asks again after this, in milliseconds.
    response.write('retry: 2000\n\n');
  }

  send(event: string, state: unknown): void {
    const text = JSON.stringify(state);
    if (this.#last.get(event) === text || this.#response.writableLength > MOST_WAITING_BYTES) return;
    this.#last.set(event, text);
    this.#response.write(`event: ${event}\ndata: ${text}\n\n`);
  }
}
