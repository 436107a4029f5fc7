/**
 * Names for the completion of a shell, which waits for them: what this machine knows, and no more. Only the standard library is
 * loaded here.
 */
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export type KnownNames = 'mounts' | 'profiles' | 'projects' | 'volumes';

/** A user notices what takes longer. */
const PATIENCE_MS = 80;

/** Prints the names of one kind, a line each; none when they are not there in time. */
export async function printKnownNames(kind: string | undefined): Promise<void> {
  const late = new Promise<readonly string[]>((resolve) => setTimeout(resolve, PATIENCE_MS, []));
  const names = await Promise.race([namesOf(kind).catch(() => []), late]);
  if (names.length > 0) process.stdout.write(`${names.join('\n')}\n`);
  // A question to a mount that is away would hold the process.
  process.stdout.end(() => process.exit());
}

async function namesOf(kind: string | undefined): Promise<readonly string[]> {
  if (kind === 'mounts') return mountPoints();
  if (kind === 'profiles') return profiles();
  if (kind === 'projects' || kind === 'volumes') return places(kind);
  return [];
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

/** `OWNER/NAME` of each, as the mounts list them. */
async function places(folder: 'projects' | 'volumes'): Promise<readonly string[]> {
  const roots = (await mountPoints()).map((mountPoint) => join(mountPoint, folder));
  const found = roots.map(async (root) => {
    const owners = await readdir(root);
    const names = owners.map(async (owner) =>
      (await readdir(join(root, owner)).catch(() => [])).map((name) => `${owner}/${name}`),
    );
    return (await Promise.all(names)).flat();
  });
  const all = await Promise.all(found.map((each) => each.catch(() => [])));
  return [...new Set(all.flat())].sort();
}
