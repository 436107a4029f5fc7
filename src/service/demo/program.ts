import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export interface ProgramOptions {
  /** Directory to run in; paths in the arguments are relative to it. */
  readonly cwd: string;
  readonly input?: string;
  /** File for the standard output, which is otherwise dropped. */
  readonly outputFile?: string;
}

/** A program that the demo needs and the machine does not have. */
export class MissingProgramError extends Error {
  constructor(program: string, debianPackage: string, options?: ErrorOptions) {
    super(
      `the demo content is made with ${program}, which is not installed (Debian package: ${debianPackage})`,
      options,
    );
    this.name = 'MissingProgramError';
  }
}

/**
 * Runs a program to its end.
 *
 * @throws MissingProgramError when there is no such program; Error with what it wrote to stderr when it fails
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, input, outputFile }: ProgramOptions,
): Promise<void> {
  const child = spawn(program, [...args], { cwd, stdio: 'pipe' });
  const complaint: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => complaint.push(chunk));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  // A program that ends before it has read its input says why by its exit status.
  child.stdin.on('error', () => undefined).end(input);
  const written =
    outputFile === undefined ? child.stdout.resume() : pipeline(child.stdout, createWriteStream(outputFile));
  const [status] = await Promise.all([ended, written]).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new MissingProgramError(program, PACKAGES[program] ?? program, { cause: error });
  });
  if (status !== 0) {
    throw new Error(
      `${program} ${args.join(' ')} failed (${status}): ${Buffer.concat(complaint).toString().trim()}`,
    );
  }
}

const PACKAGES: Readonly<Record<string, string>> = { samtools: 'samtools', bgzip: 'tabix', tabix: 'tabix' };
