/**
 * The mount process. It gets its settings over IPC and reports once whether the mount is usable. Before that it reports
 * that it waits for the rate limit. It serves until it is told to end: over the control socket, by a signal, by an
 * unmount behind its back, or (when tied) with its parent.
 *
 * Its working directory is `/`. It loads every module before the mount appears, and opens nothing below the mount point
 * later: a request of its own on its own mount would wait for itself.
 */
import { compiledAhead } from './mount/compiled-ahead.ts';
import type { DaemonReport, DaemonWait, MountSettings } from './mount/daemon-messages.ts';
import { describeFailure } from './mount/describe-failure.ts';
import type { ServedMount } from './mount/serve-mount.ts';

process.chdir('/');
process.umask(0o077);

// Until it is mounted there is nothing to finish: its parent may take it along.
const exitWithParent = (): never => process.exit(1);
process.once('disconnect', exitWithParent);
process.once('message', async (settings: MountSettings) => {
  let starting = true;
  const onWait = (ms: number): void => {
    if (starting) void report({ type: 'waiting', ms });
  };
  try {
    // The HTTP library behind it first: most of its functions are never called, and would take 9 MiB.
    await import('../api/network/network.ts');
    const { serveMount } = await compiledAhead(() => import('./mount/serve-mount.ts'));
    const served = await serveMount(settings, onWait);
    starting = false;
    process.off('disconnect', exitWithParent);
    endWhenTold(served, settings.tied);
    const { username, warnings, metricsUrl } = served;
    await report({ type: 'ready', username, warnings, metricsUrl });
    await served.ended;
    process.exit(0);
  } catch (error) {
    await report(describeFailure(error, settings));
    process.exit(1);
  }
});

function endWhenTold({ end, rotateLog }: ServedMount, tied: boolean): void {
  const onSignal = (): void => void end.onTold('signal');
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // It has no terminal: sessions are ended by SIGTERM and SIGHUP together (systemd.kill(5), SendSIGHUP=), which ends nothing here.
  process.on('SIGHUP', rotateLog);
  // The command says this once the mount is there.
  process.on('message', () => void end.onTold('command'));
  if (tied) process.once('disconnect', () => void end.begin('command'));
}

/** Resolves once it is sent: an exit does not wait for messages. */
function report(answer: DaemonReport | DaemonWait): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected && process.send !== undefined) process.send(answer, () => resolve());
    else resolve();
  });
}
