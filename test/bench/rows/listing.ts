import { stat } from 'node:fs/promises';
import { secondsOf } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import type { Mounted, MountPeer } from '../peers/mounted.ts';
import { MANY } from '../server/names.ts';
import { type Contestant, type Family, onMount, type Sample } from '../stage.ts';

const COMMANDS = {
  ls: (path: string) => ['ls', path],
  'ls -l': (path: string) => ['ls', '-l', path],
  'find -size': (path: string) => ['find', path, '-size', '+1k'],
} as const satisfies Record<string, (path: string) => readonly string[]>;

type Listing = keyof typeof COMMANDS;
const LISTINGS = Object.keys(COMMANDS) as readonly Listing[];

export function listingRow(listing: Listing, state: 'cold' | 'warm'): string {
  return `${listing}, ${state}`;
}

/** One folder of many files. Warm: the same again, on the same mount. */
export const listing: Family = {
  name: 'listing',
  rows: LISTINGS.flatMap((name) =>
    (['cold', 'warm'] as const).map((state) => ({ name: listingRow(name, state), unit: 's' as const })),
  ),
  contestants: ({ mounts }) =>
    mounts.map((peer): Contestant => ({ peer: peer.name, trial: () => trial(peer) })),
};

async function trial(peer: MountPeer): Promise<Record<string, Sample>> {
  const samples: Record<string, Sample> = {};
  for (const name of LISTINGS) {
    await onMount(peer, async (mounted) => {
      // Another row measures the cost of the path to it (first-byte).
      await stat(mounted.path(MANY));
      samples[listingRow(name, 'cold')] = await list(mounted, name);
      samples[listingRow(name, 'warm')] = await list(mounted, name);
    });
  }
  return samples;
}

function list(mounted: Mounted, name: Listing): Promise<Sample> {
  const [command = '', ...args] = COMMANDS[name](mounted.path(MANY));
  return measured(mounted, async () => ({ value: await secondsOf(command, args) }));
}
