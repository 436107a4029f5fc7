/**
 * `.svcfs/`: what the mount tells about itself, as small files. Each is made when it is opened. Paths, errors and jobs
 * of all users of the mount are in it: only the user who mounted, and root, may read it.
 *
 *   version  config  stats        JSON, `config` without secrets
 *   metrics                       the numbers of `stats` for Prometheus
 *   errors                        what is waited for now, and the last failure of each path, a line each
 *   jobs/<id>/                    a directory per job (`job-files.ts`)
 *   uploads/<id>                  one JSON file per upload
 */
import type { ContentWriter } from '../../content/ports.ts';
import type { WorkRecord, Works } from '../../jobs/ports.ts';
import type { ErrorRegistry, Failure } from '../errors/error-registry.ts';
import { FsError } from '../errors/fs-error.ts';
import { shownName } from '../model/escape.ts';
import type { VirtualEntry, VirtualFileNode, VirtualSource } from '../model/node.ts';
import type { NodeMaker } from '../model/node-maker.ts';
import { directory, fixedDirectory } from './fixed-directory.ts';
import { jobFiles } from './job-files.ts';

/** Facts that only the program around the file system knows. */
export interface MountInformation {
  readonly version: string;
  /** Options and endpoint in force; no secrets. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Counters of the moment. */
  readonly statistics: () => Readonly<Record<string, unknown>>;
  /** The conditions that delay or fail every operation now, for a user who asks why something fails. */
  readonly circumstances: () => readonly string[];
  /** The same, in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
}

export interface ControlParts {
  readonly make: NodeMaker;
  readonly errors: ErrorRegistry;
  readonly jobs: { readonly works: Pick<Works, 'list' | 'get'> };
  readonly writer: Pick<ContentWriter, 'uploads'>;
  readonly information: MountInformation;
}

export const CONTROL_FILES: readonly string[] = ['version', 'config', 'stats', 'metrics', 'errors'];
export const CONTROL_DIRECTORIES: readonly string[] = ['jobs', 'uploads'];

export function control(parts: ControlParts): VirtualSource {
  const { make, errors, information } = parts;
  const file = (name: string, content: VirtualFileNode['content']): VirtualEntry =>
    textFile(name, content, make);
  const entries = [
    file('version', () => `${information.version}\n`),
    file('config', () => json(information.config)),
    file('stats', () => json(information.statistics())),
    file('metrics', () => information.metrics()),
    file('errors', () =>
      [...information.circumstances().map(nowLine), ...errors.list().map(errorLine)].join(''),
    ),
    directory('jobs', jobs(parts), make),
    directory('uploads', uploads(parts), make),
  ];
  return { ...fixedDirectory(entries), isPrivate: true };
}

function jobs({ jobs: { works }, make }: ControlParts): VirtualSource {
  return changing(() =>
    works.list().map(({ id }) => {
      const read = (): WorkRecord => present(works.get(id), id);
      return directory(shownName(id, 'entry'), jobFiles(read, make), make);
    }),
  );
}

/** An upload that the platform does not know of yet goes by the number of those before it. */
function uploads({ writer, make }: ControlParts): VirtualSource {
  const named = (): Map<string, unknown> =>
    new Map(writer.uploads().map((upload, index) => [upload.uploadId ?? `begun-${index + 1}`, upload]));
  return changing(() =>
    [...named().keys()].map((name) => textFile(name, () => json(present(named().get(name), name)), make)),
  );
}

/** A directory whose entries are asked for each time. */
function changing(entries: () => readonly VirtualEntry[]): VirtualSource {
  return { ttlMs: 0, isPrivate: true, entries: () => ({ entries: entries() }) };
}

function textFile(name: string, content: VirtualFileNode['content'], make: NodeMaker): VirtualEntry {
  return { name, make: (place) => make.virtualFile(place, { mode: 0o400, content }) };
}

/** @throws ESTALE for what is no longer there: an empty file would tell that there is nothing to know of it. */
function present<T>(value: T | undefined, name: string): T {
  if (value === undefined)
    throw new FsError('ESTALE', `${name} is over, and nothing is known of it any more`);
  return value;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function errorLine({ atMs, op, attribute, path, target, text }: Failure): string {
  const what = attribute === undefined ? op : `${op} ${attribute}`;
  const where = target === undefined ? path : `${path} to ${target}`;
  return `${new Date(atMs).toISOString()} ${what} ${where}: ${text.replaceAll('\n', ' ')}\n`;
}

/** No failure: what is so at the moment. */
function nowLine(circumstance: string): string {
  return `now: ${circumstance}\n`;
}
