import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { errorCode } from '../lib/error-code.ts';
import { plainReason } from '../lib/plain-reason.ts';
import { MountError, type MountErrorKind } from './mount-error.ts';
import type { NativeAddon } from './native-addon.ts';

/** The set-user-id program of Debian's fuse3 that mounts for ordinary users. */
const HELPER = 'fusermount3';
/** The descriptor of the helper's end of the socket it passes /dev/fuse over. */
const HELPER_SOCKET = 3;

interface HelperResult {
  readonly code: number | null;
  readonly stderr: string;
}

/**
 * Mounts through the helper; answers the descriptor of the device. `options` are those of fusermount3 -o.
 * auto_unmount is not used: it leaves the mount behind, and the helper running.
 */
export async function mountWithHelper(
  addon: NativeAddon,
  mountPoint: string,
  options: string,
): Promise<number> {
  const [ours, theirs] = addon.socketPair();
  try {
    const result = await runHelper(['-o', options, '--', mountPoint], theirs);
    if (result.code !== 0) throw helperError(result, mountPoint);
    return addon.receiveDevice(ours);
  } finally {
    closeSync(ours);
    closeSync(theirs);
  }
}

/** Unmounts a mount the helper made. `lazy` takes a busy one too. */
export async function unmountWithHelper(mountPoint: string, { lazy }: { lazy: boolean }): Promise<void> {
  const result = await runHelper(['-u', ...(lazy ? ['-z'] : []), '--', mountPoint]);
  if (result.code !== 0) throw helperError(result, mountPoint);
}

async function runHelper(args: readonly string[], socket?: number): Promise<HelperResult> {
  const child = spawn(HELPER, args, {
    stdio: ['ignore', 'ignore', 'pipe', ...(socket === undefined ? [] : [socket])],
    env: { ...process.env, ...(socket !== undefined && { _FUSE_COMMFD: String(HELPER_SOCKET) }) },
    cwd: '/',
  });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  try {
    const [stderr, code] = await Promise.all([child.stderr === null ? '' : text(child.stderr), exit]);
    return { code, stderr: stderr.trim() };
  } catch (cause) {
    throw notStarted(cause);
  }
}

function notStarted(cause: unknown): MountError {
  if (errorCode(cause) === 'ENOENT')
    return new MountError(
      'fusermount-missing',
      `${HELPER} is needed to mount without being root: install the package fuse3`,
      { cause },
    );
  return new MountError('other', `${HELPER} could not be started: ${plainReason(cause)}`, { cause });
}

/** fusermount3 speaks English only; its texts are part of libfuse's sources (util/fusermount.c). */
const REASONS: readonly [pattern: RegExp, kind: MountErrorKind, remedy: string][] = [
  [/device not found|No such device/, 'no-device', 'load the kernel module with: modprobe fuse'],
  [
    /failed to open .*fuse.*Permission denied/,
    'no-permission',
    'you may not use /dev/fuse: chmod 0666 /dev/fuse',
  ],
  [/user_allow_other/, 'no-permission', 'allow it with user_allow_other in /etc/fuse.conf'],
  [
    /no write access|not owned by|Permission denied|Operation not permitted/,
    'no-permission',
    'choose a directory of your own',
  ],
  [/busy/, 'busy', 'something still uses it'],
];

function helperError({ stderr }: HelperResult, mountPoint: string): MountError {
  for (const [pattern, kind, remedy] of REASONS) {
    if (pattern.test(stderr)) return new MountError(kind, `${mountPoint}: ${remedy} (${stderr})`);
  }
  return new MountError('other', `${mountPoint}: ${stderr === '' ? `${HELPER} failed` : stderr}`);
}
