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

/** The files of one mount point, under a name that a person recognises and a hash that tells equal names apart. */
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
  /** One `AccountDirectory` per account. */
  readonly accounts: string;
  readonly demoData: string;
}

/** `mountPoint` is a real path: the same mount point must give the same directory however it was written. */
export function mountDirectory(state: string, mountPoint: string): MountDirectory {
  const hash = createHash('sha256').update(mountPoint).digest('hex').slice(0, 8);
  return mountDirectoryAt(join(state, `${basename(mountPoint).slice(0, 32)}-${hash}`));
}

export function mountDirectoryAt(root: string): MountDirectory {
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

/** The files of one account at one mount point: spool and journal of uploads, folder times. Must survive a crash. */
export interface AccountDirectory {
  /** Its last component. */
  readonly name: string;
  readonly root: string;
  /** Says which account and mount point these are; older versions made none. */
  readonly record: string;
  readonly uploads: string;
}

/** Each account has a directory of its own: its unfinished work does not concern another at the same mount point. */
export function accountDirectory(
  { accounts }: MountDirectory,
  { endpoint, username }: { readonly endpoint: string; readonly username: string },
): AccountDirectory {
  const hash = createHash('sha256').update(`${endpoint}\0${username}`).digest('hex').slice(0, 8);
  return accountDirectoryAt(accounts, hash);
}

export function accountDirectoryAt(accounts: string, name: string): AccountDirectory {
  const root = join(accounts, name);
  return { name, root, record: join(root, 'account.json'), uploads: join(root, 'uploads') };
}
