import { hostname } from 'node:os';
import type { DashboardOptions } from '../../config/dashboard-options.ts';
import { systemClock } from '../../lib/clock.ts';
import { onEndSignals } from '../on-end-signals.ts';
import { OneTimeCode } from './http/one-time-code.ts';
import { readPageFiles } from './http/page-files.ts';
import { randomToken } from './http/random-token.ts';
import { serveDashboard } from './http/serve-dashboard.ts';
import { Deeds } from './live/deeds.ts';
import { LiveView } from './live/live-view.ts';
import { OWN_MOUNTS } from './live/mounts.ts';
import { WarmUps } from './live/warm-ups.ts';
import { hasDesktop, openBrowser } from './open-browser.ts';

/** `svcfs dashboard`, until a signal ends it. */
export async function runDashboard({
  port,
  open = hasDesktop(process.env),
}: DashboardOptions): Promise<void> {
  const token = randomToken();
  const code = new OneTimeCode(systemClock);
  const mounts = OWN_MOUNTS;
  const warmUps = new WarmUps(mounts);
  const live = new LiveView({ mounts, warmUps, clock: systemClock });
  const deeds = new Deeds({ mounts, warmUps, live });
  const page = await readPageFiles();
  const served = await serveDashboard({ token, page, live, deeds, code }, port);
  const ended = new Promise<void>((resolve) => onEndSignals(resolve));
  const origin = `http://127.0.0.1:${served.port}`;
  console.log(`dashboard: ${origin}/${token}/`);
  console.error('svcfs: who has this address can do there what you can; Ctrl-C ends it');
  if (process.env['SSH_CONNECTION'] !== undefined)
    console.error(
      `svcfs: on your own machine first: ssh -L ${served.port}:127.0.0.1:${served.port} ${hostname()}`,
    );
  if (open && !(await openBrowser(`${origin}${code.issue()}`)))
    console.error('svcfs: no browser could be opened: open the address yourself');
  await ended;
  await served.close();
}
