import { homedir } from 'node:os';
import { stateDirectory } from '../config/directories.ts';
import { waitingElsewhere } from './mount/waiting-elsewhere.ts';

/** Says on stderr what this user wrote through mounts that are no more and is not uploaded yet. */
export async function sayWaitingElsewhere(): Promise<void> {
  const lines = await waitingElsewhere(stateDirectory(process.env, homedir()));
  for (const line of lines) console.error(`svcfs: ${line}`);
}
