import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { errorCode } from '../../lib/error-code.ts';
import { jsonLine } from '../../lib/json-line.ts';
import { messageOf } from '../../lib/message-of.ts';
import { CliError } from '../exit-codes.ts';
import type { ControlAnswer, ControlRequest } from './control-messages.ts';

/**
 * Answers one request; `send` gives intermediate answers, and answers how many bytes wait in this process for a slow asker;
 * `signal` fires when the asker went away.
 */
export type ControlHandler = (
  request: ControlRequest,
  send: (answer: ControlAnswer) => number,
  signal: AbortSignal,
) => Promise<ControlAnswer>;

/** sockaddr_un.sun_path, less its end. */
const MAX_SOCKET_PATH_BYTES = 107;

/**
 * Listens on the mount's control socket. One process does, by `lockState`: a socket where nobody listens is left over from
 * one that was killed. `mayReplace`: also one where somebody listens is left over.
 */
export async function listenForControl(
  path: string,
  handle: ControlHandler,
  { mayReplace = false }: { readonly mayReplace?: boolean } = {},
): Promise<Server> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new CliError('failure', `${path}: too long for a socket; set XDG_STATE_HOME to a shorter path`);
  }
  if (!mayReplace && (await isListenedAt(path)))
    throw new CliError('alreadyMounted', 'another svcfs process serves this mount point');
  await rm(path, { force: true });
  // An asker that ends its side wants the answer still.
  const server = createServer({ allowHalfOpen: true }, (socket) => converse(socket, handle));
  server.listen(path);
  await once(server, 'listening');
  return server;
}

function converse(socket: Socket, handle: ControlHandler): void {
  const gone = new AbortController();
  socket.on('error', () => socket.destroy());
  socket.on('end', () => gone.abort());
  socket.on('close', () => gone.abort());
  const send = (answer: ControlAnswer): number => {
    if (socket.writable) socket.write(jsonLine(answer));
    return socket.writableLength;
  };
  const lines = createInterface({ input: socket });
  // It passes on what befalls the socket, which would end the process if nobody listened here as well.
  lines.on('error', () => undefined);
  lines.once('line', async (line) => {
    try {
      send(await handle(JSON.parse(line) as ControlRequest, send, gone.signal));
    } catch (error) {
      send({ answer: 'failed', message: messageOf(error) });
    }
    socket.end();
  });
}

/** Whether a process listens on a control socket: it serves the mount, or is about to. */
function isListenedAt(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      const code = errorCode(error);
      if (code === 'ENOENT' || code === 'ECONNREFUSED') resolve(false);
      else reject(error);
    });
  });
}
