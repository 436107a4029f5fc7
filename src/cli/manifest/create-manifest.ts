import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ManifestCreateOptions } from '../../config/manifest-options.ts';
import { forEachAtOnce } from '../../lib/for-each-at-once.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import type { PinnedFile } from '../../vfs/model/pin.ts';
import { sayFailures } from '../describe/say-failures.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { locate, type PathInMount } from '../mount/select-mount.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { type Manifest, ManifestError, manifestText, parseManifest } from './manifest-text.ts';

const FILES_AT_ONCE = 4;
const READ_BYTES = 1024 * 1024;

/** The manifest of files and folders in a mount. @throws CliError when any of them cannot be pinned */
export async function createManifest(
  paths: readonly string[],
  options: ManifestCreateOptions,
): Promise<Manifest> {
  if (options.as !== undefined && (paths.length > 1 || options.fullPaths))
    throw new CliError('usage', '--as is for one file or folder, and excludes --full-paths');
  const located = await locateInOneMount(paths);
  const { mount } = located[0];
  const inMount = located.map(({ path }) => path);
  const groups = await pinsOf(mount, inMount);
  const checked = options.checksum ? await withChecksums(mount, groups) : groups;
  if (options.checksum) await requireUnchanged(mount, inMount, groups);
  const files = checked.flatMap((group, index) =>
    group.map((file) => ({ ...file, path: pathInManifest(file.path, inMount[index] ?? '/', options) })),
  );
  const record = await readRecord<MountRecord>(mount.directory.record);
  return usable({ endpoint: record?.endpoint, files });
}

async function locateInOneMount(paths: readonly string[]): Promise<readonly [PathInMount, ...PathInMount[]]> {
  const located: PathInMount[] = [];
  for (const path of paths) {
    const found = await locate(path);
    if (found === undefined) throw new CliError('notMounted', `${path}: not in a mount of svcfs`);
    located.push(found);
  }
  const [first, ...others] = located;
  if (first === undefined) throw new CliError('usage', 'name a file or folder of a mount');
  if (others.some(({ mount }) => mount.mountPoint !== first.mount.mountPoint))
    throw new CliError('usage', 'a manifest is of one mount: name files and folders of one');
  return [first, ...others];
}

/** For each path the files there, by name. A manifest that lacks a file would be taken for whole. */
async function pinsOf(
  mount: SvcfsMount,
  paths: readonly string[],
): Promise<readonly (readonly PinnedFile[])[]> {
  const answer = await inquire(mount, { request: 'pins', paths });
  sayFailures(answer);
  for (const left of answer.leftOut) console.error(`svcfs: left out ${left}`);
  if (answer.failed > 0)
    throw new CliError('failure', `${answer.failed} of what was named cannot be pinned: no manifest is made`);
  return answer.files.map((files) => [...files].sort((a, b) => (a.path < b.path ? -1 : 1)));
}

async function withChecksums(
  { mountPoint }: SvcfsMount,
  groups: readonly (readonly PinnedFile[])[],
): Promise<readonly (readonly PinnedFile[])[]> {
  const sums = new Map<string, string>();
  await forEachAtOnce(
    groups.flat().map(({ path }) => path),
    FILES_AT_ONCE,
    async (path) => void sums.set(path, await sha256Of(join(mountPoint, path))),
  );
  return groups.map((group) =>
    group.map((file) => ({ ...file, checksums: { ...file.checksums, sha256: sums.get(file.path) ?? '' } })),
  );
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path, { highWaterMark: READ_BYTES }), hash);
  } catch (error) {
    throw new CliError('failure', `${path}: ${plainReason(error)}: no manifest is made`, { cause: error });
  }
  return hash.digest('hex');
}

/** A file that was replaced meanwhile would be pinned with the checksum of another. */
async function requireUnchanged(
  mount: SvcfsMount,
  paths: readonly string[],
  before: readonly (readonly PinnedFile[])[],
): Promise<void> {
  const { files } = await inquire(mount, { request: 'pins', paths });
  const factsOf = (all: readonly (readonly PinnedFile[])[]): readonly string[] =>
    all.flat().map(({ path, id, sizeBytes, object }) => JSON.stringify([path, id, sizeBytes, object]));
  const now = new Set(factsOf(files));
  const changed = factsOf(before).findIndex((facts) => !now.has(facts));
  if (changed < 0) return;
  const { path } = before.flat()[changed] ?? { path: 'a file' };
  throw new CliError('failure', `${path} changed while it was read: no manifest is made; try again`);
}

/** `at`: the path that was named, below which the file is. */
function pathInManifest(path: string, at: string, { as, fullPaths }: ManifestCreateOptions): string {
  if (fullPaths) return path.slice(1);
  const below = posix.relative(at, path);
  return posix.join(as ?? basename(at), below).replace(/\/$/, '');
}

/** As it will be read. */
function usable(manifest: Manifest): Manifest {
  if (manifest.files.length === 0) throw new CliError('failure', 'there is no file: no manifest is made');
  try {
    return parseManifest(manifestText(manifest));
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    throw new CliError('usage', `${error.message}; --as or --full-paths gives other paths`, { cause: error });
  }
}
