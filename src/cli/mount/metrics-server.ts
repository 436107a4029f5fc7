import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from '../../config/option-text.ts';
import { errorCode } from '../../lib/error-code.ts';
import { messageOf } from '../../lib/message-of.ts';
import { PROMETHEUS_TYPE } from '../../observe/prometheus-text.ts';
import { CliError } from '../exit-codes.ts';

export interface MetricsServer {
  /** Where the metrics are: `http://127.0.0.1:9100/metrics`. */
  readonly url: string;
  close(): void;
}

const PATH = '/metrics';
/** A Prometheus or two, and a person with a browser. */
const MOST_CONNECTIONS = 32;

/**
 * Answers the metrics of a mount over HTTP, to anyone who reaches the address. `metrics` has none before the mount is there.
 *
 * @throws CliError which says why nothing can listen there
 */
export async function serveMetrics(
  address: ListenAddress,
  metrics: () => string | undefined,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const { status, text, headers } = answerTo(request, metrics);
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
    response.end(request.method === 'HEAD' ? undefined : text);
  });
  server.maxConnections = MOST_CONNECTIONS;
  // A mount that ends waits for no scrape.
  server.unref();
  try {
    server.listen(address.port, address.host);
    await once(server, 'listening');
  } catch (error) {
    throw new CliError('failure', `--metrics: ${reasonOf(error, address)}`, { cause: error });
  }
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${shown({ ...address, port })}${PATH}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function answerTo({ method = '', url = '' }: IncomingMessage, metrics: () => string | undefined): Answer {
  const path = url.split('?', 1)[0];
  if (path !== PATH && path !== '/') {
    return { status: 404, text: `nothing is here; the metrics are at ${PATH}\n` };
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, text: 'only GET\n', headers: { allow: 'GET, HEAD' } };
  }
  if (path === '/') return { status: 200, text: `a mount of svcfs; its metrics are at ${PATH}\n` };
  const text = metrics();
  if (text === undefined) return { status: 503, text: 'not mounted yet\n' };
  return { status: 200, text, headers: { 'content-type': PROMETHEUS_TYPE, 'cache-control': 'no-store' } };
}

function reasonOf(error: unknown, address: ListenAddress): string {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return `${shown(address)} is in use; give another port, or port 0 for any free one`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${address.host} is no address of this machine; give 127.0.0.1 for programs on this machine alone`;
    case 'EACCES':
      return `this user may not listen on ${shown(address)}; give a port above 1023`;
    default:
      return `cannot listen on ${shown(address)}: ${messageOf(error)}`;
  }
}

function shown({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
