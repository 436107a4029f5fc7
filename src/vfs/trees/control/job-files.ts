/**
 * `.svcfs/jobs/<id>/`: a job as small files.
 *
 *   state                         a word: pending, running, done or failed
 *   progress                      `done failed total`, in items
 *   source  destination           paths; no destination for a deletion
 *   failed.tsv                    a line for each item that failed: source, destination, code, reason
 */
import type { WorkRecord } from '../../../jobs/ports.ts';
import { tsvLine } from '../../../metadata/format/tsv.ts';
import type { SyntheticDirectory, SyntheticFile } from '../../model/synthetic.ts';
import { file, fixedEntries } from '../../synthetic/entries.ts';

const HEADER = 'source\tdestination\tcode\treason\n';

/** `read` gives the job as it is then, and throws when nothing is known of it any more. */
export function jobFiles(read: () => WorkRecord): SyntheticDirectory {
  const of = (text: (job: WorkRecord) => string): SyntheticFile => file(() => text(read()));
  const entries = {
    state: of(({ state }) => `${state}\n`),
    progress: of(({ done, failed, total }) => `${done} ${failed.length} ${total}\n`),
    source: of(({ source }) => `${source}\n`),
    destination: of(({ target }) => (target === undefined ? '' : `${target}\n`)),
    'failed.tsv': of(({ failed }) => HEADER + failed.map(lineOf).join('')),
  };
  return fixedEntries(entries, { entriesTtlMs: 0 });
}

function lineOf({ source, target = '', failure }: WorkRecord['failed'][number]): string {
  const cells = [source, target, String(failure.code), failure.message];
  return tsvLine(cells);
}
