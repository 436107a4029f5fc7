import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { APP_COPY_STRATEGIES } from '../../contract/words.ts';
import type { CopyAppOptions } from '../apps/copy-app.ts';
import type { InstallAppOptions } from '../apps/install-app.ts';
import type { ListAppsOptions } from '../apps/list-apps.ts';
import type { ShowAppOptions } from '../apps/show-app.ts';
import { wrapped } from '../describe/help-format.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';

const DETAILS = `
An APP is owner/project/app: the newest revision; or owner/project/app/revision. install makes a new app, or the next revision of
one that is there. A revision that was named, and is there already, is refused: so nothing is installed twice.

Examples:
  svcfs app list ada/study
  svcfs app list --public --search 'bwa mem'
  svcfs app show ada/study/align --raw > align.cwl.json
  svcfs app install align.cwl ada/study/align
  svcfs app copy ada/study/align ada/other`;

export function addAppCommand(program: Command): void {
  const app = program
    .command('app')
    .summary('list, show, install and copy apps')
    .description('List, show, install and copy apps: tools and workflows.')
    .addHelpText('after', wrapped(DETAILS));
  const list = app
    .command('list')
    .description('List apps: 100 a request.')
    .argument('[project]', 'only those of a project: owner/name, or its directory in a mount')
    .option('--public', 'public apps, in place of those of the projects that you see', false)
    .option('--owner <user>', 'only those of the projects of a user')
    .option('--search <terms>', 'only those that have each of these terms in a name, label or description')
    .option('--json', 'print JSON', false);
  withPlatform(list).action(async (project: string | undefined, options: ListAppsOptions & PlatformOptions) =>
    (await import('../apps/list-apps.ts')).listApps(project, options, contextOf(options, list)),
  );
  const show = app
    .command('show')
    .description('Show a revision of an app.')
    .argument('<app>', 'owner/project/app, or owner/project/app/revision')
    .option('--raw', 'print its document alone, as JSON', false)
    .option('--json', 'print the record with its document', false);
  withPlatform(show).action(async (id: string, options: ShowAppOptions & PlatformOptions) =>
    (await import('../apps/show-app.ts')).showApp(id, options, contextOf(options, show)),
  );
  const install = app
    .command('install')
    .description('Install a CWL document as an app, and print its id with the revision.')
    .argument('<file>', 'JSON or YAML; - is the standard input')
    .argument('<app>', 'owner/project/app; with a revision, the one that it must become')
    .option('--json', 'print JSON', false);
  withPlatform(install).action(
    async (file: string, id: string, options: InstallAppOptions & PlatformOptions) =>
      (await import('../apps/install-app.ts')).installApp(file, id, options, contextOf(options, install)),
  );
  const copy = app
    .command('copy')
    .description('Copy an app into a project, and print the id of the copy.')
    .argument('<app>', 'owner/project/app, or with the newest revision that is copied')
    .argument('<project>', 'owner/name, or its directory in a mount')
    .option('--name <name>', 'the name of the copy, from which the platform makes its id')
    .option('--strategy <strategy>', `${APP_COPY_STRATEGIES.join(', ')} (default: that of the platform)`)
    .option('--json', 'print JSON', false);
  withPlatform(copy).action(async (id: string, project: string, options: CopyAppOptions & PlatformOptions) =>
    (await import('../apps/copy-app.ts')).copyApp(id, project, options, contextOf(options, copy)),
  );
}
