import { LABORATORY, mibPerSecondOf } from '../line.ts';
import { rcloneName } from '../peers/rclone.ts';
import { type Contestant, type Family, onMount, type Stage } from '../stage.ts';
import { curlRead, readOnce } from './sequential-read.ts';
import { curlWrite, writeAtOnce, writerOf } from './write.ts';

export const READ_OVER_LINE = "sequential read, over a laboratory's line";
export const WRITTEN_OVER_LINE = "write until on the server, over a laboratory's line";
/** What the line carries, headers and TLS included. */
export const THE_LINE = 'the line itself';

/** Each trial of each takes a minute and a half. */
const MOUNTS: readonly string[] = ['svcfs', rcloneName('full', 'S3')];

/** A file read and one written where the line is slower than everything else: how much of it is used. */
export const laboratoryLine: Family = {
  name: 'laboratory-line',
  lines: [LABORATORY],
  rows: [READ_OVER_LINE, WRITTEN_OVER_LINE].map((name) => ({ name, unit: 'MiB/s' })),
  contestants: (stage) => [
    ...stage.mounts
      .filter(({ name }) => MOUNTS.includes(name))
      .map((peer): Contestant => {
        const writer = writerOf(peer, stage);
        return {
          peer: peer.name,
          trial: async () => {
            const read = await onMount(peer, readOnce);
            const [, stored] = await writeAtOnce(stage, writer, 1);
            return { [READ_OVER_LINE]: read, [WRITTEN_OVER_LINE]: stored };
          },
        };
      }),
    { peer: 'curl × 8', trial: () => curls(stage) },
    { peer: THE_LINE, trial: () => Promise.resolve(theLine(stage)) },
  ],
};

async function curls(stage: Stage): ReturnType<Contestant['trial']> {
  return {
    [READ_OVER_LINE]: await curlRead(stage, { door: 'platform', count: 8 }),
    [WRITTEN_OVER_LINE]: await curlWrite(stage),
  };
}

function theLine({ line }: Stage): Awaited<ReturnType<Contestant['trial']>> {
  const value = mibPerSecondOf(line.mbitPerSecond ?? Infinity);
  return { [READ_OVER_LINE]: { value }, [WRITTEN_OVER_LINE]: { value } };
}
