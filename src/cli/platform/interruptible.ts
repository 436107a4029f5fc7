import { sharedAbortController } from '../../lib/shared-signals.ts';
import { CliError } from '../exit-codes.ts';
import { onEndSignals } from '../on-end-signals.ts';

let deaf = false;

/** Runs a program that deals with Ctrl-C itself. */
export async function whileDeaf<T>(work: () => Promise<T>): Promise<T> {
  deaf = true;
  try {
    return await work();
  } finally {
    deaf = false;
  }
}

/** Aborted by Ctrl-C and its like, once. A second one ends the process at once. */
export function interruptible(): AbortSignal {
  const controller = sharedAbortController();
  onEndSignals(() => {
    if (deaf) return;
    if (controller.signal.aborted) process.exit(1);
    controller.abort(new CliError('failure', 'interrupted'));
  });
  return controller.signal;
}
