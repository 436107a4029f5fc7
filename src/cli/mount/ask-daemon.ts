import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { errorCode } from '../../lib/error-code.ts';
import type { ControlAnswer, ControlRequest } from './control-messages.ts';

/** Gives each answer of the mount's process; nothing at all when no process listens there. */
export async function* askDaemon(socketPath: string, request: ControlRequest): AsyncGenerator<ControlAnswer> {
  const socket = connect(socketPath);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return;
    throw error;
  }
  // A process that ends while it is asked closes the socket, and the answers with it.
  socket.on('error', () => socket.destroy());
  socket.write(`${JSON.stringify(request)}\n`);
  for await (const line of createInterface({ input: socket })) yield JSON.parse(line) as ControlAnswer;
}
