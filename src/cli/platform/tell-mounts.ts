import { askMount } from '../mount/ask-mount.ts';
import type { PlatformRequest } from '../mount/platform-inquiries.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { runningMounts } from '../mount/select-mount.ts';
import { type MountRecord, readRecord } from '../record.ts';

type Learnt = Omit<Extract<PlatformRequest, { readonly request: 'learn' }>, 'request'>;

/** The mounts of this user that show the platform at an endpoint. */
export async function mountsOf(endpoint: string): Promise<readonly SvcfsMount[]> {
  const mounts: SvcfsMount[] = [];
  for (const mount of await runningMounts()) {
    if ((await endpointOf(mount)) === endpoint) mounts.push(mount);
  }
  return mounts;
}

export async function endpointOf(mount: SvcfsMount): Promise<string | undefined> {
  return (await readRecord<MountRecord>(mount.directory.record))?.endpoint;
}

/** Tells mounts what was changed past them. One that does not answer asks the service by itself when what it knows is old. */
export async function tellMounts(mounts: readonly SvcfsMount[], learnt: Learnt): Promise<void> {
  for (const mount of mounts) {
    try {
      for await (const _ of askMount(mount, { request: 'learn', ...learnt }));
    } catch {
      // The change is made; the mount learns it later.
    }
  }
}
