import { describeSize } from '../../lib/describe-size.ts';
import { printable } from '../../lib/printable.ts';
import { type KeptEntry, shortId, shownPath } from './kept-entries.ts';

/** Two lines for a person. */
export function describeKeptRow(entry: KeptEntry): string {
  const { file } = entry;
  const when = new Date(file.keptMs).toISOString().slice(0, 19);
  const facts = [shortId(file), file.state, describeSize(file.sizeBytes), `${when}Z`, shownPath(entry)];
  return `${facts.map(printable).join('  ')}\n    ${printable(file.reason)}`;
}

/** One line. */
export function describeKeptShort(entry: KeptEntry): string {
  const { file } = entry;
  return printable(`${shownPath(entry)} (${describeSize(file.sizeBytes)}): ${file.reason}`);
}

/** All that is known of it. */
export function describeKept(entry: KeptEntry): string {
  const { file, place } = entry;
  const { written } = place;
  const where =
    file.path ?? (file.bytes !== undefined ? 'in the journal of the mount' : 'nowhere on this machine');
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['id', shortId(file)],
    ['path', shownPath(entry)],
    ['state', KEPT_STATES[file.state]],
    ['size', `${file.sizeBytes} bytes`],
    ['since', new Date(file.keptMs).toISOString()],
    ['reason', file.reason],
    ['bytes', file.sizeBytes === 0 ? 'it is empty' : where],
    ['missing', file.missing],
    ['account', written && `${written.username} at ${written.endpoint}`],
  ];
  return facts
    .flatMap(([name, value]) => (value === undefined ? [] : `${`${name}:`.padEnd(9)}${printable(value)}`))
    .join('\n');
}

export const KEPT_STATES: Readonly<Record<KeptEntry['file']['state'], string>> = {
  refused: 'refused by the service; the mount shows it, and other clients do not have it',
  aside: 'kept aside; it has no place in the mount',
  waiting: 'waits for the next mount, which uploads it',
  unclosed: 'was not closed; the next mount keeps it aside',
};
