import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { errorCode } from '../../lib/error-code.ts';
import { jsonLine } from '../../lib/json-line.ts';
import { CliError } from '../exit-codes.ts';
import type { ControlAnswer, ControlRequest } from './control-messages.ts';

/** The socket is in the state directory of the user who mounted, and closed to others. */
const NOT_YOURS =
  'only the user who mounted may ask the mount: why something failed is in the attribute user.svc.error of its path, and in ' +
  '.svcfs/errors of the mount';

export interface AskingEnds {
  /** Nothing more is given once it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Takes the request back, as far as that can be. The answer is still waited for. */
  readonly takeBack?: AbortSignal | undefined;
}

/** Gives each answer of the mount's process; nothing at all when no process listens there. */
export async function* askDaemon(
  socketPath: string,
  request: ControlRequest,
  { signal, takeBack }: AskingEnds = {},
): AsyncGenerator<ControlAnswer> {
  const socket = connect(socketPath);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return;
    // So many wait to be heard that no more may.
    if (code === 'EAGAIN')
      throw new CliError('failure', `its process hears nobody at ${socketPath}`, { cause: error });
    if (code === 'EACCES' || code === 'EPERM') throw new CliError('failure', NOT_YOURS, { cause: error });
    throw error;
  }
  // A process that ends while it is asked closes the socket, and the answers with it.
  const stop = (): void => void socket.destroy();
  let lost: Error | undefined;
  socket.on('error', (error) => {
    lost = error;
    stop();
  });
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  const lines = createInterface({ input: socket });
  socket.on('close', () => lines.close());
  socket.write(jsonLine(request));
  const end = (): void => void socket.end();
  if (takeBack?.aborted) end();
  takeBack?.addEventListener('abort', end, { once: true });
  try {
    for await (const line of lines) yield parsed(line);
  } catch (error) {
    // The lines pass on what befalls the socket.
    if (error !== lost) throw error;
  } finally {
    takeBack?.removeEventListener('abort', end);
    stop();
  }
}

/** A process of another version answers `undefined`, as JSON has no word for it, to a request that it does not know. */
function parsed(line: string): ControlAnswer {
  try {
    return JSON.parse(line) as ControlAnswer;
  } catch (error) {
    throw new CliError('failure', 'the process of the mount does not know the request', { cause: error });
  }
}
