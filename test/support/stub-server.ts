import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.ts';

export interface StubRequest {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Answers a request; a returned object is sent as JSON with status 200. */
export type StubHandler = (request: StubRequest, response: ServerResponse) => unknown;

export interface StubServer extends AsyncDisposable {
  readonly origin: string;
  /** All that came, in order. */
  readonly requests: StubRequest[];
  /** How many it took so far. */
  readonly connections: () => number;
}

export interface StubOptions {
  /** It speaks TLS. */
  readonly certificate?: Certificate;
  /** Default 127.0.0.1 */
  readonly address?: string;
}

/** A small HTTP server on a free port that answers as a test says. */
export async function startStub(
  handler: StubHandler,
  { certificate, address = '127.0.0.1' }: StubOptions = {},
): Promise<StubServer> {
  const requests: StubRequest[] = [];
  const listener: RequestListener = async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) {
      chunks.push(chunk as Buffer);
    }
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks),
    };
    requests.push(request);
    const result = await handler(request, response);
    if (!response.writableEnded && !response.destroyed && result !== undefined) {
      sendJson(response, 200, result);
    }
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${certificate ? 'https' : 'http'}://${address.includes(':') ? `[${address}]` : address}:${port}`,
    requests,
    connections: () => connections,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string | number> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
