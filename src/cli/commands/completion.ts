import { Argument, type Command } from 'commander';
import { bashCompletion } from '../complete/bash.ts';
import { fishCompletion } from '../complete/fish.ts';
import { type Grammar, grammarOf } from '../complete/grammar.ts';
import { zshCompletion } from '../complete/zsh.ts';
import { wrapped } from '../describe/help-format.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

const DETAILS = `
Packages install it. Without a package, put one line where your shell reads it:
  bash  source <(svcfs completion bash)     in ~/.bashrc
  zsh   source <(svcfs completion zsh)      in ~/.zshrc, after compinit
  fish  svcfs completion fish | source      in ~/.config/fish/config.fish`;

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .summary('print a script with which a shell completes commands')
    .description('Print a script with which a shell completes commands, options and names.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', wrapped(DETAILS))
    .action((shell: keyof typeof SHELLS) => {
      const script: (grammar: readonly Grammar[]) => string = SHELLS[shell];
      process.stdout.write(script(grammarOf(program)));
    });
}
