import { homedir } from 'node:os';
import { type MountDirectory, stateDirectory } from '../config/directories.ts';
import { waitingElsewhere } from './mount/waiting-elsewhere.ts';
import { describeKeptShort } from './recover/describe-kept.ts';
import { type FoundKept, keptAt, keptInState, needsPerson } from './recover/kept-entries.ts';

/** Says on stderr what this user wrote through mounts that are no more and is not uploaded yet. */
export async function sayWaitingElsewhere(): Promise<void> {
  const lines = await waitingElsewhere(stateDirectory(process.env, homedir()));
  for (const line of lines) console.error(`svcfs: ${line}`);
}

/** Says the same of what a person has to deal with. */
export async function sayKeptHere(say: (line: string) => void): Promise<void> {
  sayKept(await keptHere(), say);
}

/** What this user's mounts keep on this machine, at one mount point or at all. */
export function keptHere(directory?: MountDirectory): Promise<FoundKept> {
  if (directory !== undefined) return keptAt(directory);
  return keptInState(stateDirectory(process.env, homedir()));
}

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
