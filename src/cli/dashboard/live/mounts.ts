import { homedir } from 'node:os';
import { stateDirectory } from '../../../config/directories.ts';
import { askMount } from '../../mount/ask-mount.ts';
import type { ControlAnswer, InquiryRequest } from '../../mount/control-messages.ts';
import { type AnswerTo, inquireQuietly } from '../../mount/inquire.ts';
import { otherVersion } from '../../mount/other-version.ts';
import type { SvcfsMount } from '../../mount/require-mount.ts';
import { runningMounts } from '../../mount/select-mount.ts';
import { type FoundKept, keptInState } from '../../recover/kept-entries.ts';

/** The facts that the dashboard takes from this machine: the mounts of this user, and the files that are kept for them. */
export interface Mounts {
  list(): Promise<readonly SvcfsMount[]>;
  /** Rejects when the mount's process is silent, or does not know the request. */
  ask<R extends InquiryRequest>(mount: SvcfsMount, request: R): Promise<AnswerTo<R>>;
  /** That the mount is of another version, for a person; undefined: it is of this one. */
  otherVersion(mount: SvcfsMount): Promise<string | undefined>;
  kept(): Promise<FoundKept>;
  /** Answers as `svcfs warmup` gets them, for a path from the top of the mount. The signal takes the request back. */
  warmUp(mount: SvcfsMount, path: string, signal: AbortSignal): AsyncIterable<ControlAnswer>;
}

export const OWN_MOUNTS: Mounts = {
  list: runningMounts,
  ask: inquireQuietly,
  otherVersion,
  warmUp: (mount, path, takeBack) => askMount(mount, { request: 'warmup', paths: [path] }, { takeBack }),
  kept: () => keptInState(stateDirectory(process.env, homedir())),
};
