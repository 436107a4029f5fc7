import { once } from 'node:events';
import {
  Agent,
  type ClientRequest,
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A fault of an exchange. Bytes count the body of the answer. */
export type Fault =
  | { readonly kind: 'latency'; readonly ms: number }
  /** The request's body goes up no faster than this. */
  | { readonly kind: 'slow-uplink'; readonly bytesPerSecond: number }
  /** One bit of the request's body arrives as another. */
  | { readonly kind: 'damage' }
  /** Never forwarded: the connection closes without an answer. */
  | { readonly kind: 'drop' }
  /** Never forwarded, and never answered: the connection stays. */
  | { readonly kind: 'silence' }
  /** Forwarded and done, but the connection closes without an answer. */
  | { readonly kind: 'lose-answer' }
  /** Never forwarded. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Never forwarded: sent to the same path of another origin (307), before the body of the request is read. */
  | { readonly kind: 'redirect'; readonly to: string }
  /** TCP reset after so many bytes. */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** A proper end of the connection after so many bytes, whatever Content-Length said. */
  | { readonly kind: 'truncate'; readonly afterBytes: number }
  /** The body of the answer comes a byte at a time. */
  | { readonly kind: 'drip'; readonly everyMs: number }
  /** Nothing more after so many bytes, and the connection stays. */
  | { readonly kind: 'stall'; readonly afterBytes: number };

export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface Rule {
  readonly fault: Fault;
  readonly when: (request: SeenRequest) => boolean;
  left: number;
}

/**
 * Stands between client and service, on a port of its own, and does to exchanges what networks do. The Host header is
 * passed on, so that the links a service signs lead through the proxy as well.
 */
export class FaultProxy {
  readonly requests: SeenRequest[] = [];
  readonly #target: { readonly hostname: string; readonly port: string };
  readonly #agent = new Agent({ keepAlive: true });
  #rules: Rule[] = [];
  #server: Server;
  #port = 0;

  /** `target` is the origin of the service: `http://127.0.0.1:1234`. */
  static async start(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await proxy.up();
    return proxy;
  }

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = this.#newServer();
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Applies to the next `times` matching exchanges; earlier rules go first. Answers how to take it back. */
  inject(
    fault: Fault,
    options: { readonly when?: (request: SeenRequest) => boolean; readonly times?: number } = {},
  ): () => void {
    const rule = {
      fault,
      when: options.when ?? (() => true),
      left: options.times ?? Number.POSITIVE_INFINITY,
    };
    this.#rules.push(rule);
    return () => {
      this.#rules = this.#rules.filter((other) => other !== rule);
    };
  }

  /** All faults end. */
  heal(): void {
    this.#rules = [];
  }

  /** Connections are refused, and those there are end. */
  async down(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Listens again, on the same port. */
  async up(): Promise<void> {
    this.#server = this.#newServer();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.down();
    this.#agent.destroy();
  }

  #newServer(): Server {
    return createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = { method: request.method ?? '', path: request.url ?? '', headers: request.headers };
    this.requests.push(seen);
    const fault = this.#take(seen);
    if (fault?.kind === 'latency') await delay(fault.ms);
    if (fault?.kind === 'drop') {
      request.socket.destroy();
      return;
    }
    if (fault?.kind === 'silence') {
      request.resume();
      return;
    }
    if (fault?.kind === 'answer') {
      request.resume();
      await once(request, 'end');
      response.writeHead(fault.status, { 'Content-Type': 'application/json', ...fault.headers });
      response.end(fault.body ?? '');
      return;
    }
    if (fault?.kind === 'redirect') {
      response.writeHead(307, { Location: fault.to + seen.path, Connection: 'close' }).end();
      return;
    }
    await this.#forward(request, response, fault);
  }

  #take(request: SeenRequest): Fault | undefined {
    const rule = this.#rules.find((candidate) => candidate.left > 0 && candidate.when(request));
    if (rule === undefined) return undefined;
    rule.left -= 1;
    return rule.fault;
  }

  async #forward(
    request: IncomingMessage,
    response: ServerResponse,
    fault: Fault | undefined,
  ): Promise<void> {
    const upstream = forward({
      host: this.#target.hostname,
      port: this.#target.port,
      method: request.method,
      path: request.url,
      headers: request.headers,
      agent: this.#agent,
    });
    request.on('aborted', () => upstream.destroy());
    // At any time, also while nobody awaits its answer: a service may be killed.
    upstream.on('error', () => response.destroy());
    // Looked out for from here on: an answer may come while the last of the body is held back.
    const answered = once(upstream, 'response') as Promise<[IncomingMessage]>;
    answered.catch(() => undefined);
    if (fault?.kind === 'slow-uplink') await passSlowly(request, upstream, fault.bytesPerSecond);
    else if (fault?.kind === 'damage') await passDamaged(request, upstream);
    else request.pipe(upstream);
    const [answer] = await answered;
    response.on('close', () => answer.destroy());
    if (fault?.kind === 'lose-answer') {
      answer.resume();
      await once(answer, 'end');
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    response.flushHeaders();
    if (fault?.kind === 'drip') await dripBody(answer, response, fault.everyMs);
    else await passBody(answer, response, fault);
  }
}

async function passSlowly(
  request: IncomingMessage,
  upstream: ClientRequest,
  bytesPerSecond: number,
): Promise<void> {
  for await (const chunk of request as AsyncIterable<Buffer>) {
    upstream.write(chunk);
    await delay((1000 * chunk.length) / bytesPerSecond);
  }
  upstream.end();
}

async function passDamaged(request: IncomingMessage, upstream: ClientRequest): Promise<void> {
  let flip = 1;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunk[0] = (chunk[0] ?? 0) ^ flip;
    flip = 0;
    upstream.write(chunk);
  }
  upstream.end();
}

/** Until all of it has passed, or the client is gone. */
async function dripBody(answer: IncomingMessage, response: ServerResponse, everyMs: number): Promise<void> {
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length && !response.destroyed; at += 1) {
      response.write(chunk.subarray(at, at + 1));
      await delay(everyMs);
    }
  }
  response.end();
}

/** Passes the body on, up to where the fault lies. */
async function passBody(
  answer: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  const limit = fault !== undefined && 'afterBytes' in fault ? fault.afterBytes : Number.POSITIVE_INFINITY;
  let passed = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, Math.min(chunk.length, limit - passed));
    passed += part.length;
    if (part.length > 0 && !response.write(part)) await once(response, 'drain');
    if (passed >= limit) break;
  }
  if (limit === Number.POSITIVE_INFINITY) response.end();
  else if (fault?.kind === 'reset') response.socket?.resetAndDestroy();
  else if (fault?.kind === 'truncate') response.socket?.end();
}
