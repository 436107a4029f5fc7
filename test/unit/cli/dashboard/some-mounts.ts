import type { Mounts } from '../../../../src/cli/dashboard/live/mounts.ts';
import type { ControlAnswer, MountStatus } from '../../../../src/cli/mount/control-messages.ts';
import type { FoundKept } from '../../../../src/cli/recover/kept-entries.ts';
import { mountDirectory } from '../../../../src/config/directories.ts';
import { someStatistics } from '../some-statistics.ts';

const MIB = 1024 * 1024;

export function someStatus(given: Partial<MountStatus> = {}): MountStatus {
  return { uploads: [], jobs: [], edited: 0, rates: {}, statistics: someStatistics(), ...given };
}

export function mountAt(mountPoint: string) {
  return { mountPoint, directory: mountDirectory('/state', mountPoint) };
}

/** Mounts that answer as they are told to. */
export class SomeMounts implements Mounts {
  readonly asked: string[] = [];
  readonly #statuses = new Map<string, () => MountStatus | Promise<MountStatus>>();
  warmUps: (path: string, signal: AbortSignal) => AsyncIterable<ControlAnswer> = async function* () {};
  /** To other requests, by their names. */
  answers: Readonly<Record<string, () => unknown>> = {
    history: () => ({ answer: 'history', samples: { atMs: [], values: {} } }),
  };
  keptFiles: FoundKept = { entries: [], unreadable: [] };

  add(mountPoint: string, status: () => MountStatus | Promise<MountStatus> = someStatus): void {
    this.#statuses.set(mountPoint, status);
  }

  remove(mountPoint: string): void {
    this.#statuses.delete(mountPoint);
  }

  readonly list: Mounts['list'] = async () => [...this.#statuses.keys()].map(mountAt);

  readonly ask: Mounts['ask'] = async ({ mountPoint }, request): Promise<never> => {
    this.asked.push(`${request.request} ${mountPoint}`);
    const answers: Readonly<Record<string, () => unknown>> = {
      status: async () => ({ answer: 'status', ...(await this.#statuses.get(mountPoint)?.()) }),
    };
    const answer = this.answers[request.request] ?? answers[request.request];
    if (answer === undefined) throw new Error(`no answer to ${request.request}`);
    return (await answer()) as never;
  };

  readonly warmUp: Mounts['warmUp'] = (_mount, path, signal) => this.warmUps(path, signal);

  readonly otherVersion: Mounts['otherVersion'] = async () => undefined;

  readonly kept: Mounts['kept'] = async () => this.keptFiles;
}

/** An upload that is half done. */
export const HALF_UPLOADED: MountStatus['uploads'][number] = {
  label: '/projects/lab/rna/a.bam',
  uploadId: 'u1',
  sizeBytes: 64 * MIB,
  storedBytes: 16 * MIB,
  sentBytes: 32 * MIB,
  partsInFlight: 2,
  state: 'publishing',
  error: undefined,
};
