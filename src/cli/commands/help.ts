import type { Command } from 'commander';

/** In place of commander's own, which shows what there is when it is asked about what there is not. */
export function addHelpCommand(parent: Command): void {
  parent
    .helpCommand(false)
    .command('help')
    .description('show how to use a command')
    .argument('[command...]')
    .action((names: readonly string[]) => help(parent, names));
}

function help(parent: Command, [name, ...names]: readonly string[]): void {
  if (name === undefined) parent.help();
  const command = parent.commands.find((each) => each.name() === name);
  if (command === undefined) parent.error(`error: unknown command '${name}'`);
  help(command, names);
}
