/** Room on the disk given back from the middle of a file. Node has no fallocate(2), util-linux has a program for it. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../../lib/error-code.ts';
import type { ByteRange } from '../../byte-range.ts';
import { ContentError } from '../../ports.ts';
import { explainDiskFailure } from './disk-failure.ts';

const execute = promisify(execFile);

/** A range of the file at `path` reads as zeros from then on. `ContentError` kind `no-space` when the machine cannot do it. */
export async function punchHole(path: string, { start, end }: ByteRange): Promise<void> {
  const range = ['--offset', String(start), '--length', String(end - start)];
  try {
    await execute('fallocate', ['--punch-hole', ...range, path]);
  } catch (error) {
    const explained = isMissing(error) ? error : explainDiskFailure(error, dirname(path));
    throw explained === error ? cannotPunch(error) : explained;
  }
}

/** Rejects as `punchHole` does, and changes nothing of the file: it has no bytes from `end` on. */
export async function requireHoles(path: string, end: number): Promise<void> {
  await punchHole(path, { start: end, end: end + 1 });
}

function cannotPunch(cause: unknown): ContentError {
  const reason =
    'the file is larger than the spool may get, which cannot let go of what the service has: ' +
    `${whyNot(cause)}; raise --spool-size`;
  return new ContentError('no-space', reason, { cause });
}

function whyNot(error: unknown): string {
  if (isMissing(error)) return 'the program fallocate (util-linux) is not there';
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return said.split('\n', 1)[0] || String(error);
}

function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}
