import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface RawRequest {
  readonly requestLine: string;
  /** First and last byte of a `Range` header. */
  readonly range: readonly [number, number] | undefined;
}

export interface RawServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: RawRequest[];
  /** Connections accepted so far. */
  readonly connections: () => number;
}

/**
 * A server that writes bytes on a socket as a test says: what no HTTP library would send. Requests have no body.
 * The handler is told how many requests came before.
 */
export async function startRawServer(
  answer: (socket: Socket, request: RawRequest, before: number) => void,
): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let head = '';
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      for (let end = head.indexOf('\r\n\r\n'); end >= 0; end = head.indexOf('\r\n\r\n')) {
        const request = parse(head.slice(0, end));
        head = head.slice(end + 4);
        requests.push(request);
        answer(socket, request, requests.length - 1);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/object?sig=1`,
    requests,
    connections: () => connections,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}

function parse(head: string): RawRequest {
  const match = /^range: bytes=(\d+)-(\d+)$/im.exec(head);
  return {
    requestLine: head.slice(0, head.indexOf('\r\n')),
    range: match ? [Number(match[1]), Number(match[2])] : undefined,
  };
}

/** Head of a right answer to a range of `object`. */
export function rangeHead(request: RawRequest, object: Uint8Array, extra: readonly string[] = []): string {
  const [first, last] = request.range ?? [0, object.length - 1];
  return [
    'HTTP/1.1 206 Partial Content',
    `Content-Range: bytes ${first}-${last}/${object.length}`,
    `Content-Length: ${last - first + 1}`,
    'ETag: "v1"',
    ...extra,
    '\r\n',
  ].join('\r\n');
}

export function rangeBytes(request: RawRequest, object: Uint8Array): Uint8Array {
  const [first, last] = request.range ?? [0, object.length - 1];
  return object.subarray(first, last + 1);
}
