import { packageVersion } from '../package-version.ts';
import type { MountSettings } from './daemon-messages.ts';

/** Which mount it is: of whom, of what, and since when. */
export interface MountIdentity {
  readonly endpoint: string;
  readonly username: string;
  /** Of the credentials file; null: the token came from elsewhere. */
  readonly profile: string | null;
  /** The directory of the platform at which it begins; null: the top. */
  readonly root: string | null;
  readonly readOnly: boolean;
  /** Bytes reach the service after close(2). */
  readonly writeBack: boolean;
  /** When it was mounted, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Id of the process that serves it. */
  readonly process: number;
  readonly version: string;
}

export function identityOf(settings: MountSettings, username: string, sinceMs: number): MountIdentity {
  const { endpoint, tokenPlaces, options } = settings;
  const own = tokenPlaces?.own;
  return {
    endpoint,
    username,
    profile: own?.kind === 'profile' ? own.profile : null,
    root: options.root ?? null,
    readOnly: options.readOnly,
    writeBack: options.writeBack,
    sinceMs,
    process: process.pid,
    version: packageVersion(),
  };
}
