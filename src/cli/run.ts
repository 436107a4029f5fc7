import { CommanderError } from 'commander';
import { asCliError } from './as-cli-error.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { showState } from './show-state.ts';

/** Runs the command line to its end, and sets the exit code. */
export async function run(): Promise<void> {
  // The reader may stop early (`svcfs help mount | head`); the command's work goes on.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    const [, , ...words] = process.argv;
    await (words.length === 0 ? showState() : createProgram().parseAsync());
  } catch (error) {
    process.exitCode = explain(error);
  }
}

/** Prints what a person should read, and answers the exit code. */
function explain(error: unknown): number {
  // Commander has printed it already; help and version come as errors of code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage.code;
  const told = asCliError(error);
  console.error(`svcfs: ${told?.message ?? (error instanceof Error ? error.stack : error)}`);
  return EXIT_CODES[told?.exit ?? 'failure'].code;
}
