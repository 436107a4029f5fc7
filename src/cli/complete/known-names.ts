/**
 * Names for the completion of a shell, which waits for them: what this machine knows, and no more. Only the standard library is
 * loaded here.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type KnownNames = 'mounts' | 'profiles' | 'projects' | 'volumes';

/** A user notices what takes longer. */
const PATIENCE_MS = 80;

/** Prints the names of one kind, a line each, as far as they are there in time. */
export async function printKnownNames(kind: string | undefined): Promise<void> {
  const names = new Set<string>();
  const late = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS));
  await Promise.race([collect(kind, names).catch(() => undefined), late]);
  if (names.size > 0) process.stdout.write(`${[...names].sort().join('\n')}\n`);
  // A mount that is late would hold the process.
  process.stdout.end(() => process.exit());
}

async function collect(kind: string | undefined, names: Set<string>): Promise<void> {
  if (kind === 'projects' || kind === 'volumes') return collectPlaces(kind, names);
  const found = kind === 'mounts' ? await mountPoints() : kind === 'profiles' ? await profiles() : [];
  for (const name of found) names.add(name);
}

/** From the kernel's table: of the file systems of type fuse.svcfs. */
async function mountPoints(): Promise<readonly string[]> {
  const lines = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
  return lines.filter(([, , type]) => type === 'fuse.svcfs').map(([, path = '']) => withoutEscapes(path));
}

/** `\040` stands for a blank there. */
function withoutEscapes(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

async function profiles(): Promise<readonly string[]> {
  const files = ['.svcfs', '.sevenbridges'].map((folder) => join(homedir(), folder, 'credentials'));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return [
    ...new Set(
      texts.flatMap((text) => [...text.matchAll(/^\s*\[([^\]\n]+)\]/gm)].map(([, name = '']) => name)),
    ),
  ];
}

/** `OWNER/NAME` of each, as the mounts list them. A mount that answers late keeps no name of another one back. */
async function collectPlaces(folder: 'projects' | 'volumes', names: Set<string>): Promise<void> {
  const roots = (await mountPoints()).map((mountPoint) => join(mountPoint, folder));
  await Promise.allSettled(roots.map((root) => collectBelow(root, names)));
}

/**
 * A program of its own looks into a mount. One that asks a mount that does not answer cannot end before it is answered, not even
 * when it is killed.
 */
function collectBelow(root: string, names: Set<string>): Promise<void> {
  const args = [root, '-mindepth', '2', '-maxdepth', '2', '-printf', '%P\\n'];
  const find = spawn('find', args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  find.unref();
  return new Promise((resolve) => {
    find.on('error', () => resolve());
    createInterface(find.stdout)
      .on('line', (line) => names.add(line))
      .on('close', resolve);
  });
}
