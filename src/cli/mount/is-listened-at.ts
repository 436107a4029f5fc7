import { connect } from 'node:net';
import { errorCode } from '../../lib/error-code.ts';

/** Whether a process listens on a control socket: it serves the mount, or is about to. */
export function isListenedAt(path: string): Promise<boolean> {
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
