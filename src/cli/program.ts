import { Command } from 'commander';
import { addAdminCommand } from './commands/admin.ts';
import { addAllowCommand } from './commands/allow.ts';
import { addAppCommand } from './commands/app.ts';
import { addBenchCommand } from './commands/bench.ts';
import { addBillingCommand } from './commands/billing.ts';
import { addCacheCommand } from './commands/cache.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addConfigCommand } from './commands/config.ts';
import { addCpCommand, addMvCommand } from './commands/cp-and-mv.ts';
import { addDashboardCommand } from './commands/dashboard.ts';
import { addDebugCommand } from './commands/debug.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addFindCommand } from './commands/find.ts';
import { addFlushCommand } from './commands/flush.ts';
import { addHelpCommand } from './commands/help.ts';
import { addExportCommand, addImportCommand } from './commands/import-and-export.ts';
import { addJobsCommand } from './commands/jobs.ts';
import { addLogCommand } from './commands/log.ts';
import { addLoginCommands } from './commands/login.ts';
import { addLsCommand } from './commands/ls.ts';
import { addManifestCommand } from './commands/manifest.ts';
import { addMetaCommand } from './commands/meta.ts';
import { addMkdirCommand } from './commands/mkdir.ts';
import { addMountCommand } from './commands/mount.ts';
import { addPlanCommand } from './commands/plan.ts';
import { addProfileCommands } from './commands/profiles.ts';
import { addProjectCommand } from './commands/project.ts';
import { addRecoverCommand } from './commands/recover.ts';
import { addRefreshCommand } from './commands/refresh.ts';
import { addRmCommand } from './commands/rm.ts';
import { addServeCommand } from './commands/serve.ts';
import { addStatusCommand } from './commands/status.ts';
import { addSystemdCommand } from './commands/systemd.ts';
import { addTagCommand } from './commands/tag.ts';
import { addTasksCommand } from './commands/tasks.ts';
import { addTopCommand } from './commands/top.ts';
import { addTraceCommand } from './commands/trace.ts';
import { addTrashCommand } from './commands/trash.ts';
import { addUnmountCommand } from './commands/unmount.ts';
import { addVolumeCommand } from './commands/volume.ts';
import { addWarmupCommand } from './commands/warmup.ts';
import { addWhyCommand } from './commands/why.ts';
import { applyConfiguration } from './config/sources.ts';
import { HELP_FORMAT, wrapped } from './describe/help-format.ts';
import { packageVersion } from './package-version.ts';

const DETAILS = `
Start here:
  svcfs demo ~/svc           run a service with demo content and mount it; Ctrl-C ends both
  svcfs login                keep a token for a platform, once it was tried
  svcfs help mount           how to mount a platform, and what the exit codes mean
  svcfs why FILE             what failed last at a path of a mount, and what to do
  svcfs doctor               why mounting fails, and what to do`;

export function createProgram(): Command {
  const program = new Command('svcfs')
    .description('Mounts a cloud platform for scientific data: projects and volumes as directories.')
    .version(packageVersion())
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'svcfs: ')) })
    .configureHelp(HELP_FORMAT)
    .exitOverride()
    .enablePositionalOptions()
    .hook('preAction', applyConfiguration)
    .addHelpText('after', wrapped(DETAILS));
  program.commandsGroup('Mount:');
  addMountCommand(program);
  addUnmountCommand(program);
  addSystemdCommand(program);
  addDemoCommand(program);
  program.commandsGroup('See and understand:');
  addStatusCommand(program);
  addDashboardCommand(program);
  addWhyCommand(program);
  addTopCommand(program);
  addTraceCommand(program);
  addDoctorCommand(program);
  addBenchCommand(program);
  addLogCommand(program);
  addDebugCommand(program);
  addJobsCommand(program);
  addConfigCommand(program);
  program.commandsGroup('Files:');
  addRefreshCommand(program);
  addFlushCommand(program);
  addRecoverCommand(program);
  addAllowCommand(program);
  addTrashCommand(program);
  addWarmupCommand(program);
  addCacheCommand(program);
  addManifestCommand(program);
  program.commandsGroup('Many files at once:');
  addCpCommand(program);
  addMvCommand(program);
  addRmCommand(program);
  addMkdirCommand(program);
  addLsCommand(program);
  addImportCommand(program);
  addExportCommand(program);
  addFindCommand(program);
  addPlanCommand(program);
  program.commandsGroup('Metadata:');
  addMetaCommand(program);
  addTagCommand(program);
  program.commandsGroup('The platform:');
  addProjectCommand(program);
  addVolumeCommand(program);
  addAppCommand(program);
  addTasksCommand(program);
  addBillingCommand(program);
  program.commandsGroup('Sign in:');
  addLoginCommands(program);
  addProfileCommands(program);
  program.commandsGroup('Run a service:');
  addServeCommand(program);
  addAdminCommand(program);
  program.commandsGroup('Help:');
  addHelpCommand(program);
  addCompletionCommand(program);
  hintAtHelp(program, program.name());
  return program;
}

/** Shows a user who gets the options of a command wrong to the help of that command. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(`(${path} --help shows what there is)`);
  for (const each of command.commands) hintAtHelp(each, `${path} ${each.name()}`);
}
