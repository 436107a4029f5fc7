import { homedir } from 'node:os';
import { type MountDirectory, stateDirectory } from '../config/directories.ts';
import { waitingElsewhere } from './mount/waiting-elsewhere.ts';
import { keptAt, keptInState } from './recover/kept-entries.ts';
import { sayKept } from './recover/say-kept.ts';

/** Says on stderr what this user wrote through mounts that are no more and is not uploaded yet. */
export async function sayWaitingElsewhere(): Promise<void> {
  const lines = await waitingElsewhere(stateDirectory(process.env, homedir()));
  for (const line of lines) console.error(`svcfs: ${line}`);
}

/** The same of what a person has to deal with, at one mount point or at all. */
export async function sayKeptHere(
  directory: MountDirectory | undefined,
  say: (line: string) => void,
): Promise<void> {
  const state = stateDirectory(process.env, homedir());
  sayKept(await (directory === undefined ? keptInState(state) : keptAt(directory)), say);
}
