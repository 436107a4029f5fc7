import type { Command } from 'commander';
import { DASHBOARD_OPTIONS, type DashboardOptions } from '../../config/dashboard-options.ts';
import { addOptions } from '../add-options.ts';
import { wrapped } from '../describe/help-format.ts';

const DETAILS = `
Serves a page on 127.0.0.1 until Ctrl-C, and prints its address. The page shows the mounts of yours: their health, transfers, jobs, the
request limit, caches and memory, throughput and latency over the last hour, failures with their remedy, and files that are kept on
this machine, to be tried again, saved or dropped. Folders can be brought into the disk cache.

The address holds a secret: who has it can do on the page what you can. It is another one each time. Nothing on the page comes
from another machine. The mounts are asked only while a page is open.

On a machine far away: ssh -L PORT:127.0.0.1:PORT HOST, with the same port on both sides, then the printed address.

Examples:
  svcfs dashboard
  svcfs dashboard --port 8077 --no-open`;

export function addDashboardCommand(program: Command): void {
  const command = program
    .command('dashboard')
    .summary('show the mounts on a page in the browser')
    .description('Show the mounts of yours on a page that only this machine can reach.');
  addOptions(command, DASHBOARD_OPTIONS)
    .addHelpText('after', wrapped(DETAILS))
    .action(async (options: DashboardOptions) => {
      // Other commands need not load it.
      const { runDashboard } = await import('../dashboard/run-dashboard.ts');
      await runDashboard(options);
    });
}
