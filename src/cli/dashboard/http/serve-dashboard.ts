import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorCode } from '../../../lib/error-code.ts';
import { CliError } from '../../exit-codes.ts';
import type { Deeds } from '../live/deeds.ts';
import type { LiveView } from '../live/live-view.ts';
import { EventStream } from './event-stream.ts';
import { type Admitted, admit, foreign, type Gate, type Refusal, refuse } from './guards.ts';
import { SAFE_HEADERS } from './headers.ts';
import type { OneTimeCode } from './one-time-code.ts';
import type { PageFile, PageFiles } from './page-files.ts';
import { doPost } from './post.ts';

export interface DashboardParts {
  readonly token: string;
  readonly page: PageFiles;
  readonly live: LiveView;
  readonly deeds: Deeds;
  /** Opens the page once, in place of the token. */
  readonly code: OneTimeCode;
}

export interface ServedDashboard {
  readonly port: number;
  /** It closes open connections. */
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
/** Each open page holds one; more is a fault, or somebody's mischief. */
const MOST_STREAMS = 32;

/** @param port 0: any that is free. @throws CliError when the port cannot be had. */
export async function serveDashboard(parts: DashboardParts, port: number): Promise<ServedDashboard> {
  const server = createServer();
  await listen(server, port);
  const gate: Gate = { port: (server.address() as AddressInfo).port, token: parts.token };
  const streams = new Set<ServerResponse>();
  server.on('request', (request, response) => answer(request, response, { ...parts, gate, streams }));
  return {
    port: gate.port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, LOOPBACK);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EADDRINUSE')
      throw new CliError(
        'failure',
        `port ${port} of ${LOOPBACK} is taken: name another (--port N), or none, and a free one is found`,
        { cause: error },
      );
    if (code === 'EACCES')
      throw new CliError('failure', `port ${port} is not for you to take: name one from 1024 on`, {
        cause: error,
      });
    throw error;
  }
}

const NOTHING = refuse(404, 'Nothing is here.');

interface Serving extends DashboardParts {
  readonly gate: Gate;
  readonly streams: Set<ServerResponse>;
}

function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): void {
  const { gate, code } = serving;
  const stranger = foreign(request, gate);
  if (stranger === undefined && request.method === 'GET' && code.redeem(request.url)) {
    response.writeHead(303, { ...SAFE_HEADERS, location: `/${gate.token}/` }).end();
    return;
  }
  const admitted = stranger ?? admit(request, gate);
  if ('status' in admitted) deny(response, admitted);
  else if (admitted.method === 'POST') void answerPost(request, response, admitted, serving);
  else if (admitted.path === 'events') stream(response, admitted, serving);
  else sendFile(response, serving.page.get(admitted.path));
}

function deny(response: ServerResponse, { status, text }: Refusal): void {
  const headers = { ...SAFE_HEADERS, 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
  response.writeHead(status, headers).end(`${text}\n`);
}

async function answerPost(
  request: IncomingMessage,
  response: ServerResponse,
  { path }: Admitted,
  { deeds }: Serving,
): Promise<void> {
  const done = await doPost(request, path, deeds);
  if (done === undefined) return deny(response, NOTHING);
  response.writeHead(done.status, { ...SAFE_HEADERS, 'content-type': 'application/json' });
  response.end(JSON.stringify(done.body));
}

function sendFile(response: ServerResponse, file: PageFile | undefined): void {
  if (file === undefined) deny(response, NOTHING);
  else response.writeHead(200, { ...SAFE_HEADERS, 'content-type': file.type }).end(file.content);
}

function stream(response: ServerResponse, { query }: Admitted, { live, streams }: Serving): void {
  if (streams.size >= MOST_STREAMS) {
    deny(response, refuse(503, `${MOST_STREAMS} pages of the dashboard are open: close one.`));
    return;
  }
  streams.add(response);
  const events = new EventStream(response);
  const end = live.add({
    mount: query.get('mount') ?? undefined,
    onOverview: (overview) => events.send('overview', overview),
    onMount: (details) => events.send('mount', details),
    onHistory: (history) => events.send('history', history),
  });
  response.on('close', () => {
    streams.delete(response);
    end();
  });
}
