/**
 * `.svcfs/`: what the mount tells about itself, as small files. Each is made when its name is looked up. Paths, errors and
 * jobs of all users of the mount are in it: only the user who mounted, and root, may read it.
 *
 *   version  config  stats        JSON, `config` without secrets
 *   metrics                       the numbers of `stats` for Prometheus
 *   errors                        what is waited for now, and the last failure of each path, a line each
 *   jobs/<id>/                    a directory per job (`job-files.ts`)
 *   uploads/<id>                  one JSON file per upload
 */
import type { ContentWriter } from '../../../content/ports.ts';
import type { Works } from '../../../jobs/ports.ts';
import type { ErrorRegistry, Failure } from '../../errors/error-registry.ts';
import { FsError } from '../../errors/fs-error.ts';
import { shownName } from '../../model/escape.ts';
import type { SyntheticDirectory } from '../../model/synthetic.ts';
import { entriesOf, file, fixedEntries, jsonText } from '../../synthetic/entries.ts';
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
  readonly metrics: () => string;
}

export interface ControlParts {
  readonly errors: Pick<ErrorRegistry, 'list'>;
  readonly jobs: { readonly works: Pick<Works, 'list' | 'get'> };
  readonly writer: Pick<ContentWriter, 'uploads'>;
  readonly information: MountInformation;
}

export const CONTROL_FILES: readonly string[] = ['version', 'config', 'stats', 'metrics', 'errors'];
export const CONTROL_DIRECTORIES: readonly string[] = ['jobs', 'uploads'];

/** All of it is of the moment. */
const OF_THE_MOMENT = { entriesTtlMs: 0 };

export function control(parts: ControlParts): SyntheticDirectory {
  const { errors, information } = parts;
  const entries = {
    version: file(() => `${information.version}\n`),
    config: file(() => jsonText(information.config)),
    stats: file(() => jsonText(information.statistics())),
    metrics: file(() => information.metrics()),
    errors: file(() =>
      [...information.circumstances().map(nowLine), ...errors.list().map(errorLine)].join(''),
    ),
    jobs: jobs(parts),
    uploads: uploads(parts),
  };
  return fixedEntries(entries, { ...OF_THE_MOMENT, isPrivate: true });
}

function jobs({ jobs: { works } }: ControlParts): SyntheticDirectory {
  return entriesOf(
    () =>
      Object.fromEntries(
        works
          .list()
          .map(({ id }) => [shownName(id, 'entry'), jobFiles(() => present(works.get(id), id))] as const),
      ),
    OF_THE_MOMENT,
  );
}

/** An upload that the platform does not know of yet goes by the number of those before it. */
function uploads({ writer }: ControlParts): SyntheticDirectory {
  return entriesOf(
    () =>
      Object.fromEntries(
        writer
          .uploads()
          .map(
            (upload, index) =>
              [upload.uploadId ?? `begun-${index + 1}`, file(() => jsonText(upload))] as const,
          ),
      ),
    OF_THE_MOMENT,
  );
}

/** @throws ESTALE for what is no longer there: an empty file would tell that there is nothing to know of it. */
function present<T>(value: T | undefined, name: string): T {
  if (value === undefined)
    throw new FsError('ESTALE', `${name} is over, and nothing is known of it any more`);
  return value;
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
