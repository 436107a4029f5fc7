import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.ts';

export interface SlowReader extends AsyncDisposable {
  readonly origin: string;
  readonly requests: () => number;
}

/** A server that reads the bodies of requests as a test says, and answers when that is done. */
export async function startSlowReader(
  read: (request: IncomingMessage) => Promise<void>,
  answer: (response: ServerResponse) => void,
  { certificate }: { readonly certificate?: Certificate } = {},
): Promise<SlowReader> {
  let requests = 0;
  const listener: RequestListener = (request, response) => {
    requests += 1;
    read(request).then(
      () => answer(response),
      () => response.destroy(),
    );
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests: () => requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
