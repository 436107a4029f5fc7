import { setMaxListeners } from 'node:events';

/** An end that any amount of work waits for at once; of other signals the engine takes more than ten listeners for a leak. */
export function sharedAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** For work that goes on though nobody may wait for it. */
export const NEVER_ABORTED: AbortSignal = sharedAbortController().signal;
