import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { wrapped } from '../describe/help-format.ts';
import { withMembers } from '../members/members-command.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';
import type { CreateProjectOptions } from '../projects/create-project.ts';
import type { DeleteOptions } from '../projects/delete-project.ts';
import type { EditProjectOptions } from '../projects/edit-project.ts';
import type { ListProjectsOptions } from '../projects/show-projects.ts';
import { repeated } from '../repeated.ts';

const DETAILS = `
A PROJECT is owner/name, project:owner/name, or its directory in a mount. In a mount the mount makes the calls; elsewhere
they go to the platform of the profile, and mounts of that platform are told.

The platform makes the id of a project from its name: "My Study" of ada is ada/my-study. The id stays when the name is changed.
create makes no second project of a name that you have: so it can be repeated when nobody knows how it ended.

Examples:
  cd "$(svcfs project create 'My Study')"
  svcfs project edit ada/my-study --setting allow_network_access=true
  svcfs project members ada/my-study --set grace=read,copy --remove bob
  svcfs project delete ada/my-study`;

export function addProjectCommand(program: Command): void {
  const project = program
    .command('project')
    .summary('make, list, edit and delete projects, and their members')
    .description('Make, list, edit and delete projects, and say who their members are.')
    .addHelpText('after', wrapped(DETAILS));
  addCreate(project);
  const list = project
    .command('list')
    .description('List the projects that you are a member of.')
    .option('--name <text>', 'only those that have this in their names, whatever its case')
    .option('--json', 'print JSON', false);
  withPlatform(list).action(async (options: ListProjectsOptions & PlatformOptions) =>
    (await import('../projects/show-projects.ts')).listProjects(options, contextOf(options, list)),
  );
  const show = project
    .command('show')
    .description('Show a project, its settings, and what you may do in it.')
    .argument('<project>', 'owner/name, or its directory in a mount')
    .option('--json', 'print JSON', false);
  withPlatform(show).action(async (given: string, options: { readonly json: boolean } & PlatformOptions) =>
    (await import('../projects/show-projects.ts')).showProject(given, options, contextOf(options, show)),
  );
  addEdit(project);
  withMembers(project, 'projects');
  const remove = project
    .command('delete')
    .description('Delete a project with all files in it. On a terminal it counts them, and asks.')
    .argument('<project>', 'owner/name, or its directory in a mount')
    .option('-f, --force', 'ask nothing', false)
    .option('--json', 'print JSON', false);
  withPlatform(remove).action(async (given: string, options: DeleteOptions & PlatformOptions) =>
    (await import('../projects/delete-project.ts')).deleteProject(given, options, contextOf(options, remove)),
  );
}

function addCreate(project: Command): void {
  const create = withFields(
    project
      .command('create')
      .description('Make a project that you own, and print its path.')
      .argument('<name>', 'the name, from which the platform makes the id'),
  )
    .option('--exist-ok', 'take the project of that name that you have', false)
    .option('--another', 'make it although you have one of that name', false)
    .option('--json', 'print JSON', false);
  withPlatform(create).action(async (name: string, options: CreateProjectOptions & PlatformOptions) =>
    (await import('../projects/create-project.ts')).createProject(name, options, contextOf(options, create)),
  );
}

function addEdit(project: Command): void {
  const edit = withFields(
    project
      .command('edit')
      .description('Change the name, the description, the tags, the billing group or settings of a project.')
      .argument('<project>', 'owner/name, or its directory in a mount')
      .option('--name <name>', 'the name; the id, and so the path, stays'),
  ).option('--json', 'print the project as JSON', false);
  withPlatform(edit).action(async (given: string, options: EditProjectOptions & PlatformOptions) =>
    (await import('../projects/edit-project.ts')).editProject(given, options, contextOf(options, edit)),
  );
}

function withFields(command: Command): Command {
  return command
    .option('--description <text>', 'the description')
    .option('--billing-group <id>', 'who pays; svcfs billing lists the groups')
    .option(
      '--tag <tag>',
      'a tag, in place of those there are; may be repeated, and empty for none',
      repeated,
    )
    .option('--setting <key=value>', 'a setting; may be repeated', repeated);
}
