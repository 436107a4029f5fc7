import { writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { MissingProgramError, runProgram } from './program.ts';

/** Writes `path`.gz with its tabix index, or plain `path` on a machine without bgzip and tabix. */
export async function writeIndexedVcf(path: string, vcf: string): Promise<void> {
  await writeFile(path, vcf);
  const cwd = dirname(path);
  const name = basename(path);
  try {
    await runProgram('bgzip', ['-f', name], { cwd });
    await runProgram('tabix', ['-p', 'vcf', `${name}.gz`], { cwd });
  } catch (error) {
    if (!(error instanceof MissingProgramError)) throw error;
  }
}
