import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificate } from './certificate.ts';

export interface ForwardProxyOptions {
  /** The proxy itself speaks TLS. */
  readonly certificate?: Certificate;
  /** `USER:PASSWORD` that it asks for. */
  readonly credentials?: string;
  /** Default 127.0.0.1 */
  readonly address?: string;
  /** Where names lead that no DNS has, by `host:port` as it is asked for. */
  readonly names?: Readonly<Record<string, { readonly host: string; readonly port: number }>>;
}

/** An HTTP proxy: tunnels (CONNECT), and requests for whole addresses. It counts both. */
export class ForwardProxy {
  /** `host:port` of each tunnel that was asked for. */
  readonly tunnels: string[] = [];
  /** Method and address of each request that was forwarded. */
  readonly forwarded: string[] = [];
  /** The status with which it refuses everything; undefined: it refuses nothing. */
  refusal: number | undefined;
  readonly #options: ForwardProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();

  static async start(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
    const proxy = new ForwardProxy(options);
    proxy.#server.listen(0, options.address ?? '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(options: ForwardProxyOptions) {
    this.#options = options;
    const forward = (incoming: IncomingMessage, answer: ServerResponse): void =>
      this.#forward(incoming, answer);
    this.#server = options.certificate
      ? createTlsServer(options.certificate, forward)
      : createServer(forward);
    this.#server.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#tunnel(incoming, socket, head);
    });
    this.#server.on('connection', (socket: Socket) => this.#keep(socket));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:PORT`, with the user and password if it asks for some. */
  get url(): string {
    const { certificate, credentials } = this.#options;
    return `${certificate ? 'https' : 'http'}://${credentials ? `${credentials}@` : ''}${this.place}`;
  }

  get place(): string {
    const { address = '127.0.0.1' } = this.#options;
    return `${address.includes(':') ? `[${address}]` : address}:${this.port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #refusalOf({ headers }: IncomingMessage): number | undefined {
    const { credentials } = this.#options;
    const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (expected && headers['proxy-authorization'] !== expected) return 407;
    return this.refusal;
  }

  #placeOf(target: string): { readonly host: string; readonly port: number } {
    const { hostname, port } = new URL(`svcfs://${target}`);
    return this.#options.names?.[target] ?? { host: hostname.replace(/[[\]]/g, ''), port: Number(port) };
  }

  #tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { url: target = '' } = incoming;
    this.tunnels.push(target);
    this.#keep(socket);
    const refusal = this.#refusalOf(incoming);
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} no\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const onward = connect(this.#placeOf(target), () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    this.#keep(onward);
    onward.once('error', () => socket.end('HTTP/1.1 502 no\r\nContent-Length: 0\r\n\r\n'));
    onward.once('close', () => socket.destroy());
    socket.once('close', () => onward.destroy());
  }

  #forward(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method = '', url = '', headers } = incoming;
    this.forwarded.push(`${method} ${url}`);
    const refusal = this.#refusalOf(incoming) ?? (URL.canParse(url) ? undefined : 400);
    if (refusal !== undefined) {
      answer.writeHead(refusal, { 'content-type': 'text/html' }).end('<html>no</html>');
      return;
    }
    const { host, pathname, search, port } = new URL(url);
    const { 'proxy-authorization': _secret, ...others } = headers;
    const place = this.#placeOf(port === '' ? `${host}:80` : host);
    const onward = request({ ...place, method, path: pathname + search, headers: others }, (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(answer);
    });
    onward.once('error', () => answer.destroy());
    incoming.pipe(onward);
  }
}
