import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { Certificate } from './certificate.ts';

/** A request that went through, with the bytes of both bodies. */
export interface PassedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  sentBytes: number;
  receivedBytes: number;
}

export interface RecordingProxyOptions {
  /** It speaks TLS, and tells the server so. */
  readonly certificate?: Certificate;
  /** The origin of the links that the server signs. Default: this proxy. */
  readonly linksTo?: string;
}

/**
 * Stands before an HTTP server, notes what passes, and holds requests back when asked. The `Host` that the client named is
 * passed on, so that signatures stay good.
 */
export class RecordingProxy {
  readonly requests: PassedRequest[] = [];
  /** Asked before a request goes on. */
  hold: (request: PassedRequest) => Promise<unknown> = async () => undefined;
  /** By how much the clock of the server seems to be ahead. */
  dateAheadMs = 0;
  /** May be changed at any time. */
  target: URL;
  readonly #server: Server;
  readonly #scheme: string;
  readonly #forwarded: Readonly<Record<string, string>>;

  static async start(target: string, options: RecordingProxyOptions = {}): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(new URL(target), options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(target: URL, { certificate, linksTo }: RecordingProxyOptions) {
    this.target = target;
    this.#scheme = certificate ? 'https' : 'http';
    const { protocol, host } = new URL(linksTo ?? `${this.#scheme}://unnamed`);
    this.#forwarded = {
      'x-forwarded-proto': protocol.replace(':', ''),
      ...(linksTo !== undefined && { 'x-forwarded-host': host }),
    };
    const pass = (incoming: IncomingMessage, answer: ServerResponse): void => {
      this.#pass(incoming, answer).catch(() => answer.destroy());
    };
    this.#server = certificate ? createTlsServer(certificate, pass) : createServer(pass);
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests since the last time by method and path, the path without version, query and id. */
  taken(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { method, path } of this.requests.splice(0)) {
      const [plain = ''] = path.replace(/^\/v2/, '').split('?');
      const call = `${method} ${plain.replace(/[0-9a-f]{24}/, 'ID')}`;
      counts[call] = (counts[call] ?? 0) + 1;
    }
    return counts;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #pass(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = incoming;
    const headers = { ...incoming.headers, ...this.#forwarded };
    const passed: PassedRequest = { method, path, headers, sentBytes: 0, receivedBytes: 0 };
    this.requests.push(passed);
    await this.hold(passed);
    const { port } = this.target;
    const hostname = this.target.hostname.replace(/[[\]]/g, '');
    const onward = request({ hostname, port, method, path, headers });
    const answered = once(onward, 'response') as Promise<[IncomingMessage]>;
    const count = counting((bytes) => {
      passed.sentBytes += bytes;
    });
    // A client that has gone meanwhile does not take back what it asked for.
    const sending = incoming.destroyed
      ? finished(onward.end())
      : pipeline(incoming, count, onward).catch(() => undefined);
    const [received] = await answered;
    const date = new Date(Date.now() + this.dateAheadMs).toUTCString();
    answer.writeHead(received.statusCode ?? 502, {
      ...received.headers,
      ...(this.dateAheadMs !== 0 && { date }),
    });
    await pipeline(
      received,
      counting((bytes) => {
        passed.receivedBytes += bytes;
      }),
      answer,
    );
    await sending;
  }
}

function counting(count: (bytes: number) => void): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count(chunk.length);
      done(null, chunk);
    },
  });
}
