/**
 * Manifests as JSON texts, which a person may write or edit:
 *
 *   {
 *     "svcfs_manifest": 1,
 *     "endpoint": "https://api.example.org/v2",
 *     "files": [
 *       { "path": "reads/a.bam", "id": "568cf5dce4b0307bc0462060", "project": "lab/rna", "name": "a.bam",
 *         "size": 1024, "modified_on": "2026-01-31T12:00:00.000Z", "checksums": { "sha256": "…" } },
 *       { "path": "ref/genome.fa", "volume": "lab/data", "location": "ref/genome.fa", "etag": "…", "size": 2048 }
 *     ]
 *   }
 */
import type { PinnedFile, PinnedObject } from '../../vfs/model/pin.ts';

export interface Manifest {
  /** Where its ids mean something; undefined: that is not told. */
  readonly endpoint: string | undefined;
  readonly files: readonly PinnedFile[];
}

/** The text is no manifest. The message says where, and why. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

const VERSION = 1;
const CHECKSUMS: Readonly<Record<string, RegExp>> = { md5: /^[0-9a-f]{32}$/, sha256: /^[0-9a-f]{64}$/ };
/** NAME_MAX of Linux. */
const MOST_NAME_BYTES = 255;

type Fields = Readonly<Record<string, unknown>>;

export function manifestText({ endpoint, files }: Manifest): string {
  const lines = files.map((file) => `    ${JSON.stringify(fieldsOf(file))}`);
  return [
    '{',
    `  "svcfs_manifest": ${VERSION},`,
    ...(endpoint === undefined ? [] : [`  "endpoint": ${JSON.stringify(endpoint)},`]),
    '  "files": [',
    lines.join(',\n'),
    '  ]',
    '}',
    '',
  ].join('\n');
}

function fieldsOf({ path, id, project, name, sizeBytes, modifiedMs, object, checksums }: PinnedFile): Fields {
  return {
    path,
    id,
    project,
    name,
    ...object,
    size: sizeBytes,
    modified_on: modifiedMs === undefined ? undefined : new Date(modifiedMs).toISOString(),
    checksums,
  };
}

/** @throws ManifestError */
export function parseManifest(text: string): Manifest {
  const top = jsonOf(text);
  if (!isFields(top) || top['svcfs_manifest'] === undefined)
    throw new ManifestError('it is no manifest of svcfs, which begins with "svcfs_manifest": 1');
  const { svcfs_manifest: version, files } = top;
  if (version !== VERSION)
    throw new ManifestError(`it is of version ${String(version)}, and this svcfs reads version ${VERSION}`);
  if (!Array.isArray(files)) throw new ManifestError('"files" is no list');
  if (files.length === 0) throw new ManifestError('it names no file');
  const parsed = files.map((file: unknown, index) => parseFile(file, `file ${index + 1}`));
  refuseConflicts(parsed.map(({ path }) => path));
  return { endpoint: optionalText(top, 'endpoint', 'the manifest'), files: parsed };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ManifestError(`it is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseFile(file: unknown, which: string): PinnedFile {
  if (!isFields(file)) throw new ManifestError(`${which} is no object`);
  const path = optionalText(file, 'path', which);
  if (path === undefined) throw new ManifestError(`${which} has no "path"`);
  const where = `${which} (${JSON.stringify(path)})`;
  requirePath(path, where);
  const { size, modified_on: modifiedOn } = file;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    throw new ManifestError(`${where}: "size" is no number of bytes`);
  const modifiedMs = typeof modifiedOn === 'string' ? Date.parse(modifiedOn) : undefined;
  if ((modifiedOn ?? undefined) !== undefined && !Number.isFinite(modifiedMs))
    throw new ManifestError(`${where}: "modified_on" is no time, such as 2026-01-31T12:00:00Z`);
  const id = optionalText(file, 'id', where);
  const object = objectOf(file, where);
  if (id === undefined && object === undefined)
    throw new ManifestError(`${where} has no "id", and no "volume" and "location"`);
  return {
    path,
    id,
    project: optionalText(file, 'project', where),
    name: optionalText(file, 'name', where),
    sizeBytes: size,
    modifiedMs,
    object,
    checksums: checksumsOf(file['checksums'], where),
  };
}

function objectOf(file: Fields, where: string): PinnedObject | undefined {
  const volume = optionalText(file, 'volume', where);
  const location = optionalText(file, 'location', where);
  if (volume === undefined && location === undefined) return undefined;
  if (volume === undefined || location === undefined)
    throw new ManifestError(`${where} has one of "volume" and "location" only`);
  return { volume, location, etag: optionalText(file, 'etag', where) };
}

function checksumsOf(given: unknown, where: string): PinnedFile['checksums'] {
  if (given === undefined || given === null) return undefined;
  if (!isFields(given)) throw new ManifestError(`${where}: "checksums" is no object`);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const form = Object.hasOwn(CHECKSUMS, name) ? CHECKSUMS[name] : undefined;
      if (form === undefined)
        throw new ManifestError(
          `${where}: unknown checksum ${name}: ${Object.keys(CHECKSUMS).join(', ')} are known`,
        );
      const text = typeof value === 'string' ? value.toLowerCase() : '';
      if (!form.test(text)) throw new ManifestError(`${where}: "${name}" is no such checksum in hexadecimal`);
      return [name, text];
    }),
  );
}

function requirePath(path: string, where: string): void {
  if (path.startsWith('/'))
    throw new ManifestError(`${where}: the path begins with a slash: it is one below the mount point`);
  for (const name of path.split('/')) {
    if (name === '') throw new ManifestError(`${where}: a name in the path is empty`);
    if (name === '.' || name === '..') throw new ManifestError(`${where}: the path has "${name}" in it`);
    if (name.includes('\0')) throw new ManifestError(`${where}: the path has a zero byte in it`);
    if (Buffer.byteLength(name) > MOST_NAME_BYTES)
      throw new ManifestError(`${where}: a name has at most ${MOST_NAME_BYTES} bytes`);
  }
  if (/^\.svcfs(\/|$)/.test(path)) throw new ManifestError(`${where}: .svcfs is the mount's own`);
}

/** Each path is of one file, and none of a file and of a directory. */
function refuseConflicts(paths: readonly string[]): void {
  const files = new Set<string>();
  for (const path of paths) {
    if (files.has(path)) throw new ManifestError(`two files have the path ${JSON.stringify(path)}`);
    files.add(path);
  }
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const directory = path.slice(0, end);
      if (files.has(directory))
        throw new ManifestError(
          `${JSON.stringify(directory)} is a file, and has ${JSON.stringify(path)} below it`,
        );
    }
  }
}

function optionalText(fields: Fields, key: string, where: string): string | undefined {
  const value = fields[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw new ManifestError(`${where}: "${key}" is no text`);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
