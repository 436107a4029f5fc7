import { Command, Help, type Option } from 'commander';
import { addAdminCommand } from './commands/admin.ts';
import { addCacheCommand } from './commands/cache.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addFlushCommand } from './commands/flush.ts';
import { addHelpCommand } from './commands/help.ts';
import { addJobsCommand } from './commands/jobs.ts';
import { addMountCommand } from './commands/mount.ts';
import { addRecoverCommand } from './commands/recover.ts';
import { addServeCommand } from './commands/serve.ts';
import { addStatusCommand } from './commands/status.ts';
import { addUnmountCommand } from './commands/unmount.ts';
import { addWarmupCommand } from './commands/warmup.ts';
import { addWhyCommand } from './commands/why.ts';
import { packageVersion } from './package-version.ts';

const DETAILS = `
Start here:
  svcfs demo ~/svc           run a service with demo content and mount it; Ctrl-C ends both
  svcfs help mount           how to mount a platform, and what the exit codes mean
  svcfs why FILE             what failed last at a path of a mount, and what to do`;

export function createProgram(): Command {
  const program = new Command('svcfs')
    .description('Mounts a cloud platform for scientific data: projects and volumes as directories.')
    .version(packageVersion())
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'svcfs: ')) })
    .configureHelp({ optionDescription })
    .exitOverride()
    .addHelpText('after', DETAILS);
  addMountCommand(program);
  addUnmountCommand(program);
  addStatusCommand(program);
  addWhyCommand(program);
  addJobsCommand(program);
  addFlushCommand(program);
  addRecoverCommand(program);
  addWarmupCommand(program);
  addCacheCommand(program);
  addDemoCommand(program);
  addServeCommand(program);
  addAdminCommand(program);
  addHelpCommand(program);
  hintAtHelp(program, program.name());
  return program;
}

/** Shows a user who gets the options of a command wrong to the help of that command. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(`(${path} --help shows what there is)`);
  for (const each of command.commands) hintAtHelp(each, `${path} ${each.name()}`);
}

/** That a flag is off unless given goes without saying; a default that is found out later is said in words. */
function optionDescription(this: Help, option: Option): string {
  const described = Help.prototype.optionDescription.call(this, option).replace(' (default: false)', '');
  const { defaultValue, defaultValueDescription: inWords } = option;
  return defaultValue === undefined && inWords ? `${described} (default: ${inWords})` : described;
}
