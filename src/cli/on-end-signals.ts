/** Calls back for each signal that asks a program at a terminal to end, instead of ending at once. */
export function onEndSignals(callback: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, callback);
}
