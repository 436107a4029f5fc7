import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../lib/error-code.ts';
import { messageOf } from '../../lib/message-of.ts';
import { CliError } from '../exit-codes.ts';

/** One file of a bundle. */
export interface BundleFile {
  readonly name: string;
  /** For the list of what is in it. */
  readonly what: string;
  readonly text: string;
}

/** Packs the files, and a list of them, into one archive that only its owner may read. By tar(1), which every Linux has. */
export async function writeBundle(
  path: string,
  files: readonly BundleFile[],
  note: readonly string[],
): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'svcfs-debug-'));
  const folder = basename(path).replace(/\.tar\.gz$/, '');
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(join(place, folder), { mode: 0o700 });
    const all = [{ name: 'MANIFEST.txt', text: `${[...note, '', ...listOf(files)].join('\n')}\n` }, ...files];
    for (const { name, text } of all) await writeFile(join(place, folder, name), text, { mode: 0o600 });
    await writeFile(draft, '', { flag: 'wx', mode: 0o600 });
    await promisify(execFile)('tar', ['-C', place, '-czf', draft, '--owner=0', '--group=0', folder]);
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    const reason =
      errorCode(error) === 'ENOENT' && isSpawn(error) ? 'there is no tar(1) here' : messageOf(error);
    throw new CliError('failure', `cannot write ${path}: ${reason}; name another place with --output`, {
      cause: error,
    });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

export function listOf(files: readonly Omit<BundleFile, 'text'>[]): readonly string[] {
  const width = Math.max(...files.map(({ name }) => name.length));
  return files.map(({ name, what }) => `${name.padEnd(width)}  ${what}`);
}

function isSpawn(error: unknown): boolean {
  return error instanceof Error && 'spawnargs' in error;
}
