import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient } from '../../../src/api/create-api.ts';
import { mustRun } from '../../support/run.ts';
import { FAR, isSameLine } from '../line.ts';
import { load } from '../measure/load.ts';
import { measured } from '../measure/measured.ts';
import { withCores } from '../measure/with-cores.ts';
import { curl } from '../peers/curl.ts';
import type { Mounted, MountPeer } from '../peers/mounted.ts';
import { svcfs } from '../peers/svcfs.ts';
import { OUT } from '../server/names.ts';
import { type Contestant, type Family, mibPerSecond, onMount, type Sample, type Stage } from '../stage.ts';

export const UNTIL_CLOSE = 'write until close';
export const UNTIL_STORED = 'write until on the server';
const FOUR_UNTIL_CLOSE = '4 files written at once until close';
const FOUR_UNTIL_STORED = '4 files written at once until on the server';
const MD5_SUM = 'svcfs (md5-sum)';

const PART_BYTES = 16 * 1024 * 1024;
const CURLS = 8;
let written = 0;

/** svcfs and curl send to the service itself, which checks and stores each part; rclone and s3fs to nginx. */
export const write: Family = {
  name: 'write',
  overTls: true,
  rows: [UNTIL_CLOSE, UNTIL_STORED, FOUR_UNTIL_CLOSE, FOUR_UNTIL_STORED].map((name) => ({
    name,
    unit: 'MiB/s',
  })),
  contestants: (stage) => {
    const peers = stage.mounts.map((peer) => writerOf(peer, stage));
    return [
      ...peers.map((peer): Contestant => ({ peer: peer.name, trial: () => mountWrites(stage, peer) })),
      ...(isSameLine(stage.line, FAR) ? [md5SumWrites(stage)] : []),
      { peer: 'curl -T × 8', trial: async () => ({ [UNTIL_STORED]: await curlWrite(stage) }) },
    ];
  },
};

/** svcfs by the door that `write` names. */
export function writerOf(peer: MountPeer, { server, directory }: Stage): MountPeer {
  return peer.name === 'svcfs' ? svcfs({ directory, server, door: 'service' }) : peer;
}

async function mountWrites(stage: Stage, peer: MountPeer): Promise<Record<string, Sample>> {
  const [close, stored] = await writeAtOnce(stage, peer, 1);
  const [fourClose, fourStored] = await writeAtOnce(stage, peer, 4);
  return {
    [UNTIL_CLOSE]: close,
    [UNTIL_STORED]: stored,
    [FOUR_UNTIL_CLOSE]: fourClose,
    [FOUR_UNTIL_STORED]: fourStored,
  };
}

/** One file: what the option costs does not depend on how many there are. */
function md5SumWrites(stage: Stage): Contestant {
  const { server, directory } = stage;
  const peer = svcfs({ name: MD5_SUM, directory, server, door: 'service', args: ['--md5-sum'] });
  return {
    peer: peer.name,
    trial: async () => {
      const [close, stored] = await writeAtOnce(stage, peer, 1);
      return { [UNTIL_CLOSE]: close, [UNTIL_STORED]: stored };
    },
  };
}

export async function writeAtOnce(stage: Stage, peer: MountPeer, files: number): Promise<[Sample, Sample]> {
  const fileBytes = stage.sizes.writeBytes / files;
  written += 1;
  const names = Array.from({ length: files }, (_, index) => join(OUT, `w${written}-${index}`));
  let untilClose = 0;
  const writeAll = async (mounted: Mounted): Promise<Pick<Sample, 'value' | 'movedBytes'>> => {
    const start = performance.now();
    const paths = names.map((name) => mounted.path(name));
    const { bytes, seconds } = await load('write', fileBytes, ...paths);
    untilClose = mibPerSecond(bytes, seconds);
    for (const name of names) await mounted.settled(name, fileBytes);
    return { value: mibPerSecond(bytes, (performance.now() - start) / 1000), movedBytes: bytes };
  };
  try {
    const stored = await onMount(peer, (mounted) =>
      withCores(stage.server, () => measured(mounted, () => writeAll(mounted))),
    );
    return [{ value: untilClose }, stored];
  } finally {
    await stage.server.dataSet.removeWritten();
  }
}

/** The parts of one upload, in files that are there already, over 8 connections. */
export async function curlWrite(stage: Stage): Promise<Sample> {
  const { server, sizes, directory } = stage;
  const api = server.apiAt('service');
  const parts = await mkdtemp(join(directory, 'parts-'));
  try {
    const folder = await outFolder(api);
    written += 1;
    const target = { parent: folder, name: `w${written}`, overwrite: false };
    const ticket = await api.uploads.initialise({
      ...target,
      sizeBytes: sizes.writeBytes,
      partSizeBytes: PART_BYTES,
    });
    const file = join(parts, 'part');
    await mustRun('bash', ['-c', `head -c ${PART_BYTES} /dev/urandom > "$0"`, file]);
    const transfers: string[][] = Array.from({ length: CURLS }, () => []);
    for (let part = 0; part < sizes.writeBytes / PART_BYTES; part += 1) {
      const { url } = await api.uploads.partUrl(ticket.uploadId, part + 1);
      transfers[part % CURLS]?.push('--upload-file', file, url);
    }
    const stored = await withCores(server, async () => {
      const seconds = await curl(
        server,
        transfers.filter(({ length }) => length > 0),
      );
      return { value: mibPerSecond(sizes.writeBytes, seconds) };
    });
    await api.uploads.abort(ticket.uploadId);
    return stored;
  } finally {
    await api.close();
    await rm(parts, { recursive: true });
  }
}

async function outFolder(api: ApiClient): Promise<string> {
  const { items } = await api.projects.list({ offset: 0, limit: 100 });
  const project = await api.projects.get(items[0]?.id ?? '');
  const folder = await api.files.find({ parent: project.rootFolder, name: OUT });
  if (folder === undefined) throw new Error(`the project has no folder ${OUT}`);
  return folder.id;
}
