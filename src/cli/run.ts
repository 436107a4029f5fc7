import { CommanderError } from 'commander';
import { asCliError } from './as-cli-error.ts';
import { commandOf } from './boot/helper-command.ts';
import { EXIT_CODES, type ExitName } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { showState } from './show-state.ts';

/** Runs the command line to its end, and sets the exit code. */
export async function run(): Promise<void> {
  // The reader may stop early (`svcfs help mount | head`); the command's work goes on.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  let codeOf = (exit: ExitName): number => EXIT_CODES[exit].code;
  try {
    const command = commandOf(process.argv.slice(2));
    ({ codeOf } = command);
    const { words } = command;
    await (words.length === 0 ? showState() : createProgram().parseAsync(words, { from: 'user' }));
  } catch (error) {
    process.exitCode = codeOf(explain(error));
  }
}

/** Prints what a person should read, and answers how the command ends. */
function explain(error: unknown): ExitName {
  // Commander has printed it already; help and version come as errors of code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'done' : 'usage';
  const told = asCliError(error);
  console.error(`svcfs: ${told?.message ?? (error instanceof Error ? error.stack : error)}`);
  return told?.exit ?? 'failure';
}
