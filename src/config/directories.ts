import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where svcfs keeps what outlives a process: logs, sockets, uploads in progress (XDG base directories). */
export function stateDirectory(environment: Environment, home: string): string {
  return join(environment['XDG_STATE_HOME'] || join(home, '.local', 'state'), 'svcfs');
}

/** Where `svcfs serve` keeps its data unless told. */
export function serviceDataDirectory(environment: Environment, home: string): string {
  return join(environment['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'svcfs', 'service');
}

/** What belongs to one mount point: a name a person recognises, and a hash that tells equal names apart. */
export interface MountDirectory {
  readonly root: string;
  /** Says which process serves the mount. */
  readonly record: string;
  /** Says which service a demo runs; absent when it is no demo. */
  readonly demoRecord: string;
  /** The daemon's control socket. Unix sockets have at most 107 bytes of path. */
  readonly socket: string;
  readonly log: string;
  readonly serviceLog: string;
  /** One directory per account: spool and journal of uploads, folder times. Must survive a crash. */
  readonly accounts: string;
  readonly demoData: string;
}

/** `mountPoint` is a real path: the same mount point must give the same directory however it was written. */
export function mountDirectory(state: string, mountPoint: string): MountDirectory {
  const hash = createHash('sha256').update(mountPoint).digest('hex').slice(0, 8);
  const root = join(state, `${basename(mountPoint).slice(0, 32)}-${hash}`);
  return {
    root,
    record: join(root, 'mount.json'),
    demoRecord: join(root, 'demo.json'),
    socket: join(root, 'control'),
    log: join(root, 'mount.log'),
    serviceLog: join(root, 'service.log'),
    accounts: join(root, 'accounts'),
    demoData: join(root, 'demo-data'),
  };
}
