import { CliError } from './exit-codes.ts';

/** There is no way back from some deletions: a script says by `-f` that it means one. @throws CliError */
export function requireTerminal({ force }: { readonly force: boolean }): void {
  if (force || (process.stdin.isTTY === true && process.stderr.isTTY === true)) return;
  throw new CliError('usage', 'there is no terminal to ask on: -f deletes without a question');
}
