import { describeKeptShort } from '../describe/describe-kept.ts';
import { type FoundKept, needsPerson } from './kept-entries.ts';

const MOST_NAMED = 10;

/** Names what a person has to deal with, and how; nothing when there is nothing. */
export function sayKept({ entries, unreadable }: FoundKept, say: (line: string) => void): void {
  for (const line of unreadable) say(`perhaps kept here: ${line}`);
  const kept = entries.filter(needsPerson);
  if (kept.length === 0) return;
  for (const entry of kept.slice(0, MOST_NAMED)) say(`not on the service: ${describeKeptShort(entry)}`);
  if (kept.length > MOST_NAMED) say(`and ${kept.length - MOST_NAMED} more`);
  const count = kept.length === 1 ? '1 file is' : `${kept.length} files are`;
  say(`${count} kept on this machine: svcfs recover list tells of all; save, retry or drop deals with each`);
}
