import { type Family, onMount } from '../stage.ts';
import { COLD, readOnce } from './sequential-read.ts';
import { UNTIL_STORED, writeAtOnce, writerOf } from './write.ts';

export const COLD_ON_FOUND = `${COLD}, memory as found`;
const STORED_ON_FOUND = `${UNTIL_STORED}, memory as found`;

/** A file read and one written where each page of memory is touched for the first time, as on a user's machine. */
export const foundMemory: Family = {
  name: 'found-memory',
  overTls: true,
  keepsMemory: false,
  rows: [COLD_ON_FOUND, STORED_ON_FOUND].map((name) => ({ name, unit: 'MiB/s' })),
  contestants: (stage) =>
    stage.mounts.map((peer) => {
      const writer = writerOf(peer, stage);
      return {
        peer: peer.name,
        trial: async () => {
          const read = await onMount(peer, readOnce);
          const [, stored] = await writeAtOnce(stage, writer, 1);
          return { [COLD_ON_FOUND]: read, [STORED_ON_FOUND]: stored };
        },
      };
    }),
};
