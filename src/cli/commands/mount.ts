import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { keysForService } from '../../config/keys-for-service.ts';
import { MOUNT_OPTION_GROUPS, MOUNT_OPTIONS, type MountOptions } from '../../config/mount-options.ts';
import { resolveNetwork } from '../../config/network.ts';
import { addOptionGroups } from '../add-options.ts';
import { notifyReady } from '../boot/notify-ready.ts';
import { describeRows, rowsOf } from '../config/option-rows.ts';
import { appliedSettings } from '../config/sources.ts';
import { credentialsOf } from '../credentials-of.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError, describeExitCodes } from '../exit-codes.ts';
import { readManifest, warningOfEndpoint } from '../manifest/read-manifest.ts';
import { refuseContradictions, refuseForPassed } from '../mount/refuse-contradictions.ts';
import { choosePlace, startMount } from '../mount/start-mount.ts';
import { onEndSignals } from '../on-end-signals.ts';
import { refuseShownPassword } from '../refuse-shown-password.ts';
import { sayKeptHere, sayWaitingElsewhere } from '../say-waiting-elsewhere.ts';
import { sayRateWait } from '../say-waits.ts';

const DETAILS = `
Returns when the mount is usable: the token was accepted and the root is listed. A process of its own then serves the mount
until svcfs unmount. The command prints the path of its log.

Endpoint and token come from the options, else from the profile that --profile names, else from SVC_API_ENDPOINT and
SVC_AUTH_TOKEN, else from profile default of ~/.svcfs/credentials, which svcfs login writes and only you may read:

  [default]
  api_endpoint = https://api.example.org/v2
  auth_token   = 0123456789abcdef

What is not there is taken from where the platform's own clients look: SB_API_ENDPOINT and SB_AUTH_TOKEN, and the profiles of
~/.sevenbridges/credentials. A token that is replaced in its file, or by svcfs login once the old one is refused, is taken up by the
mount as it goes on, if it is the same user's.

In a container svcfs needs no privilege where another process mounts for it: /dev/fd/N names a descriptor of /dev/fuse that is
mounted already. That process opens /dev/fuse, mounts, starts svcfs with the descriptor, and keeps no copy of it:

  exec 3<>/dev/fuse
  options=fd=3,rootmode=40000,user_id=1000,group_id=1000
  mount -i -t fuse.svcfs -o $options,default_permissions svcfs /mnt/svc
  setpriv --reuid 1000 --regid 1000 --clear-groups svcfs mount /dev/fd/3

It unmounts, too: svcfs uploads what is left, and ends. SIGTERM makes svcfs upload what is left, and let go of the mount.

Exit codes:
${describeExitCodes()}
Examples:
  svcfs mount ~/svc --endpoint http://127.0.0.1:8080/v2 --token-file token
  svcfs mount ~/svc --profile lab --read-only`;

export function addMountCommand(program: Command): void {
  const command = program
    .command('mount')
    .summary('mount the platform on an empty directory')
    .description('Mount projects and volumes of the platform on an empty directory.')
    .argument(
      '<mountpoint>',
      'an empty directory; or /dev/fd/N, a descriptor of /dev/fuse that is mounted already',
    );
  addOptionGroups(command, MOUNT_OPTION_GROUPS).addHelpText('after', wrapped(DETAILS)).action(mount);
}

async function mount(path: string, options: MountOptions, command: Command): Promise<void> {
  refuseForPassed(path, options);
  requireCacheDirectory(command);
  refuseWriteBackReadOnly(command, options);
  requireWriteBack(command, options);
  refuseContradictions(options);
  refuseShownPassword(command);
  const manifest = options.manifest === undefined ? undefined : await readManifest(options.manifest);
  const credentials = await credentialsOf(options, command);
  const buckets = await keysForService(credentials.endpoint, homedir());
  const { proxy, noProxy, caFile, ...others } = options;
  const network = await resolveNetwork(
    { proxy, noProxy, caFile, environment: process.env },
    credentials.endpoint,
  );
  if (options.verbose) sayGiven(command);
  if (options.dryRun) {
    const { mountPoint } = await choosePlace(path, options.mountedOn);
    return options.quiet ? undefined : console.log(`would mount ${credentials.endpoint} on ${mountPoint}`);
  }
  const started = await startMount({
    path,
    credentials,
    options: settingsOf(others),
    manifest: manifest?.files,
    buckets,
    network,
    tied: options.foreground,
    onWait: sayRateWait,
  });
  const { daemon, directory, mountPoint } = started;
  if (!options.quiet) {
    console.log(`mounted ${credentials.endpoint} (user ${daemon.username}) on ${mountPoint}`);
    console.log(`log: ${directory.log}`);
    if (daemon.metricsUrl !== undefined) console.log(`metrics: ${daemon.metricsUrl}`);
  }
  const aboutManifest = manifest ? warningOfEndpoint(manifest, credentials.endpoint) : [];
  for (const warning of [...aboutManifest, ...daemon.warnings]) console.error(`svcfs: ${warning}`);
  if (options.foreground) onEndSignals(() => daemon.end());
  if (options.foreground) await notifyReady(`mounted on ${mountPoint}`);
  await sayWaitingElsewhere();
  await sayKeptHere((line) => console.error(`svcfs: ${line}`));
  if (!options.foreground) return daemon.release();
  if (!(await daemon.ended))
    throw new CliError('failure', `the mount process failed; its log is ${directory.log}`);
}

/** What some options mean for others. */
function settingsOf<T extends Pick<MountOptions, 'verbose' | 'logLevel' | 'manifest' | 'readOnly'>>(
  given: T,
): T {
  return {
    ...given,
    ...(given.verbose && { logLevel: 'debug' }),
    ...(given.manifest !== undefined && { readOnly: true, manifest: resolve(given.manifest) }),
  };
}

/** A size of the disk cache asks for a cache. The environment's size is for any mount that has one. */
function requireCacheDirectory(command: Command): void {
  if (command.getOptionValue('cacheDir') !== undefined) return;
  for (const option of command.options.filter(({ long }) => long?.startsWith('--cache-'))) {
    if (command.getOptionValueSource(option.attributeName()) !== 'cli') continue;
    throw new CliError(
      'usage',
      `${option.long} needs --cache-dir: there is no disk cache without a directory`,
    );
  }
}

/** A user who asks for write-back expects to write. */
function refuseWriteBackReadOnly(command: Command, { readOnly, writeBack }: MountOptions): void {
  if (!readOnly || !writeBack) return;
  const remedy =
    command.getOptionValueSource('writeBack') === 'env'
      ? `leave out --read-only, or unset ${MOUNT_OPTIONS.writeBack.environment}`
      : 'leave out one of them';
  throw new CliError(
    'usage',
    `--read-only and --write-back exclude each other, for nothing is written that could be uploaded: ${remedy}`,
  );
}

/** The environment's value is for any mount that writes back. */
function requireWriteBack(command: Command, { writeBack }: MountOptions): void {
  if (writeBack || command.getOptionValueSource('exportDelay') !== 'cli') return;
  throw new CliError(
    'usage',
    '--export-delay needs --write-back: without it close(2) returns when the object is there',
  );
}

/** The options that are not as they are by default. */
function sayGiven(command: Command): void {
  const rows = rowsOf(command, appliedSettings(command)).filter(({ source }) => source !== 'default');
  for (const line of describeRows(rows)) console.log(line);
}
