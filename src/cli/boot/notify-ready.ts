import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Tells the service manager that the mount is usable: sd_notify(3), for units of Type=notify. Node.js has no datagram sockets of the
 * Unix kind, so systemd-notify(1) sends it. Without a manager that waits for it nothing happens.
 */
export async function notifyReady(status: string): Promise<void> {
  if (!process.env['NOTIFY_SOCKET']) return;
  try {
    await promisify(execFile)('systemd-notify', ['--ready', `--status=${status}`]);
  } catch (error) {
    console.error(`svcfs: systemd was not told that the mount is ready: ${String(error)}`);
  }
}
