/** How svcfs ends. The numbers are a contract with scripts; `svcfs help mount` and the README print this table. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'done: the mount is usable' },
  failure: { code: 1, meaning: 'something else went wrong; the log says more' },
  usage: {
    code: 2,
    meaning: 'wrong option, argument or configuration file, or a proxy or certificate that cannot be used',
  },
  credentials: { code: 3, meaning: 'no endpoint or token, or the file that holds them cannot be used' },
  tokenRefused: { code: 4, meaning: 'the service refused the token' },
  unreachable: { code: 5, meaning: 'no service answers at the endpoint' },
  mountPointMissing: {
    code: 6,
    meaning: 'the mount point does not exist or is no directory, or /dev/fd/N is no descriptor of a mount',
  },
  mountPointNotEmpty: { code: 7, meaning: 'the mount point is not empty' },
  alreadyMounted: { code: 8, meaning: 'something is mounted at the mount point already' },
  noFuse: { code: 9, meaning: 'no permission on /dev/fuse, or no FUSE on this system' },
  mountPointUnfit: { code: 10, meaning: 'files that svcfs needs are below the mount point' },
  busy: {
    code: 11,
    meaning:
      'the mount is in use, another mount namespace still has it, or another process has to unmount it',
  },
  notMounted: { code: 12, meaning: 'no svcfs mount is there' },
  serviceFailed: { code: 13, meaning: 'the service could not start' },
  refused: {
    code: 14,
    meaning: 'svcfs admin got a name or an id that does not exist, exists already, or is not allowed',
  },
  noService: { code: 15, meaning: 'svcfs admin finds no service, or cannot use its database or its keys' },
  unfinished: {
    code: 16,
    meaning: 'unmounted, but files wait on this machine for the next mount to upload them',
  },
  faulty: { code: 17, meaning: 'svcfs doctor found a fault' },
  unhealthy: { code: 18, meaning: 'svcfs status found a mount that is not healthy' },
  aborted: { code: 19, meaning: 'svcfs tasks waited for a task that was aborted, and none failed' },
} as const satisfies Record<string, { readonly code: number; readonly meaning: string }>;

export type ExitName = keyof typeof EXIT_CODES;

/** Ends the command with an exit code and one line for the person. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}

/** The table as `svcfs help mount` prints it. */
export function describeExitCodes(): string {
  return Object.values(EXIT_CODES)
    .map(({ code, meaning }) => `  ${String(code).padStart(2)}  ${meaning}\n`)
    .join('');
}
