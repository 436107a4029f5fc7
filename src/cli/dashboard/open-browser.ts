import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../../lib/clock.ts';

const OPENER = process.platform === 'darwin' ? 'open' : 'xdg-open';
/** It ends at once where it finds no browser, and may stay as long as the browser where it finds one. */
const STARTED_MS = 2000;

/** Whether there is a desktop, on which a page can be opened for who started this at a terminal. */
export function hasDesktop(environment: NodeJS.ProcessEnv): boolean {
  if (process.stdout.isTTY !== true) return false;
  if (process.platform === 'darwin') return environment['SSH_CONNECTION'] === undefined;
  return Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY']);
}

/** Opens an address in the browser of this person. Answers whether that went well, as far as it shows. */
export async function openBrowser(address: string): Promise<boolean> {
  const child = spawn(OPENER, [address], { detached: true, stdio: 'ignore' });
  child.unref();
  const ended = once(child, 'exit').then(
    ([code]) => code === 0,
    () => false,
  );
  return Promise.race([ended, systemClock.sleep(STARTED_MS).then(() => true)]);
}
