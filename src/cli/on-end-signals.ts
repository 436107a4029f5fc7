/**
 * Calls back for each signal that asks a program at a terminal to end, instead of ending at once. Hanging up asks only who
 * was not asked yet: sessions are ended by SIGTERM and SIGHUP together, which may arrive in either order.
 */
export function onEndSignals(callback: () => void): void {
  let asked = false;
  let hungUp = false;
  const ask = (): void => {
    asked = true;
    callback();
  };
  process.on('SIGINT', ask);
  process.on('SIGTERM', () => {
    if (!hungUp) ask();
    hungUp = false;
  });
  process.on('SIGHUP', () => {
    if (asked) return;
    hungUp = true;
    ask();
  });
}
