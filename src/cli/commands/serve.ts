import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { serviceDataDirectory } from '../../config/directories.ts';
import { SERVE_OPTIONS, type ServeOptions } from '../../config/serve-options.ts';
import { addOptions } from '../add-options.ts';
import { wrapped } from '../describe/help-format.ts';
import { quoted } from '../describe/quoted.ts';
import { onEndSignals } from '../on-end-signals.ts';
import { requireOpenFiles } from '../require-open-files.ts';

const DETAILS = `
Prints "listening on http://HOST:PORT/v2" when it answers, or "working" with --role worker. Its log goes to stderr.
SIGTERM or Ctrl-C ends it after the requests in progress; a second one ends it at once.

Several processes serve together when they share a PostgreSQL database and a data directory on a shared file system.`;

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .summary('run the service')
    .description('Run a complete service of the platform: by default one process, one directory.');
  addOptions(command, SERVE_OPTIONS).addHelpText('after', wrapped(DETAILS)).action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const data = resolve(options.data ?? serviceDataDirectory(process.env, homedir()));
  await requireOpenFiles();
  // Only now: the modules of the service take half a second to load, which no other command is to wait for.
  const { composeService } = await import('../compose-service.ts');
  const service = await composeService({ ...options, data });
  onEndSignals(() => void service.close());
  if (service.monitorPort !== undefined) {
    console.log(`metrics and health on http://${options.monitor?.host}:${service.monitorPort}`);
  }
  if ('url' in service && options.demo) sayHowToMount(service.url, data);
  // The last line on stdout: the program that started the service may close its end once it has read this.
  console.log('url' in service ? `listening on ${service.url}` : 'working');
}

/** A line for each option: a data directory may have a long path. */
function sayHowToMount(url: string, data: string): void {
  console.log(`mount it with:
  mkdir -p ~/svc
  svcfs mount ~/svc \\
    --endpoint ${url} \\
    --token-file ${quoted(join(data, 'demo-token'))}`);
}
