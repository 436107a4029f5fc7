/**
 * `.svcfs/jobs/<id>/`: a job as small files.
 *
 *   state                         a word: pending, running, done or failed
 *   progress                      `done failed total`, in items
 *   source  destination           paths; no destination for a deletion
 *   failed.tsv                    a line for each item that failed: source, destination, code, reason
 */
import type { WorkRecord } from '../../jobs/ports.ts';
import type { VirtualEntry, VirtualSource } from '../model/node.ts';
import type { NodeMaker } from '../model/node-maker.ts';
import { fixedDirectory } from './fixed-directory.ts';

const HEADER = 'source\tdestination\tcode\treason\n';

/** `read` gives the job as it is then, and throws when nothing is known of it any more. */
export function jobFiles(read: () => WorkRecord, make: NodeMaker): VirtualSource {
  const file = (name: string, text: (job: WorkRecord) => string): VirtualEntry => ({
    name,
    make: (place) => make.virtualFile(place, { mode: 0o400, content: () => text(read()) }),
  });
  const entries = [
    file('state', ({ state }) => `${state}\n`),
    file('progress', ({ done, failed, total }) => `${done} ${failed.length} ${total}\n`),
    file('source', ({ source }) => `${source}\n`),
    file('destination', ({ target }) => (target === undefined ? '' : `${target}\n`)),
    file('failed.tsv', ({ failed }) => HEADER + failed.map(lineOf).join('')),
  ];
  return { ...fixedDirectory(entries), isPrivate: true };
}

function lineOf({ source, target = '', failure }: WorkRecord['failed'][number]): string {
  const cells = [source, target, String(failure.code), failure.message];
  return `${cells.map(cell).join('\t')}\n`;
}

/** As tables of metadata write cells. */
function cell(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}
