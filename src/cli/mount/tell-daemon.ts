import { connect } from 'node:net';
import type { ControlRequest } from './control-messages.ts';

/** Says something to the mount's process, and waits for no answer: the process may be stuck, or there may be none. */
export function tellDaemon(socketPath: string, request: ControlRequest): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.unref();
    socket.once('error', () => resolve());
    socket.end(`${JSON.stringify(request)}\n`, () => resolve());
  });
}
