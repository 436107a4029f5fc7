import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runningMounts } from './mount/select-mount.ts';
import { sayKeptHere, sayWaitingElsewhere } from './say-waiting-elsewhere.ts';

/** `svcfs` without a word more: the mounts that are there, and the commands that a user wants next. */
export async function showState(): Promise<void> {
  const mounts = await runningMounts();
  for (const { mountPoint } of mounts) console.log(`mounted: ${mountPoint}`);
  if (mounts.length === 0) console.log('no mount of svcfs is running');
  await sayWaitingElsewhere();
  await sayKeptHere((line) => console.log(line));
  const [first] = mounts;
  console.log('');
  for (const line of first === undefined ? beginnings() : continuations(first.mountPoint)) console.log(line);
  console.log(`${'svcfs help'.padEnd(COLUMN)}all commands`);
}

const COLUMN = 31;

function beginnings(): readonly string[] {
  const hasProfiles = existsSync(join(homedir(), '.svcfs', 'credentials'));
  return [
    hasProfiles
      ? `${'svcfs mount ~/svc'.padEnd(COLUMN)}mount the platform of your profile`
      : `${'svcfs login'.padEnd(COLUMN)}keep the endpoint and the token of a platform, to mount it`,
    `${'svcfs demo ~/svc'.padEnd(COLUMN)}try it: a service with content, mounted`,
  ];
}

function continuations(mountPoint: string): readonly string[] {
  return [
    `ls ${mountPoint}`,
    `${'svcfs status'.padEnd(COLUMN)}uploads, jobs, and what is left of the request limit`,
    `${'svcfs why FILE'.padEnd(COLUMN)}the last failure at a path, and its remedy`,
    `svcfs unmount ${mountPoint}`,
  ];
}
