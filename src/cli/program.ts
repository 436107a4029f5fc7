import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addDemoCommand } from './commands/demo.ts';
import { addMountCommand } from './commands/mount.ts';
import { addServeCommand } from './commands/serve.ts';
import { addUnmountCommand } from './commands/unmount.ts';

const DETAILS = `
Start here:
  svcfs demo ~/svc           a service with demo content, mounted; Ctrl-C ends both
  svcfs help mount           how to mount a platform, and what the exit codes mean`;

export function createProgram(): Command {
  const program = new Command('svcfs')
    .description('Mounts a cloud platform for scientific data: projects and volumes as directories.')
    .version(version())
    .helpCommand('help [command]', 'how to use a command')
    .showHelpAfterError('(svcfs --help shows what there is)')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'svcfs: ')) })
    .exitOverride()
    .addHelpText('after', DETAILS);
  addMountCommand(program);
  addUnmountCommand(program);
  addDemoCommand(program);
  addServeCommand(program);
  return program;
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { readonly version: string }).version;
}
