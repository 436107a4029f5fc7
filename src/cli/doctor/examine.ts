import { chmod } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Command } from 'commander';
import { Network } from '../../api/network/network.ts';
import type { Credentials } from '../../config/credentials.ts';
import { stateDirectory } from '../../config/directories.ts';
import { resolveNetwork } from '../../config/network.ts';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { asCliError } from '../as-cli-error.ts';
import { credentialsOf } from '../credentials-of.ts';
import { quoted } from '../describe/quoted.ts';
import { type Finding, fault, ok, unknown } from '../finding.ts';
import { checkPlace } from './disks.ts';
import { checkMachine } from './machine/check-machine.ts';
import { checkMounts } from './mounts/check-mounts.ts';
import { checkState } from './mounts/check-state.ts';
import { checkApi } from './service/check-api.ts';
import { checkWay } from './service/way.ts';
import { type Subject, subjectOf } from './subject.ts';
import { within } from './within.ts';

/** Findings by what they are about. */
export type Examination = Readonly<Record<'machine' | 'service' | 'disks' | 'mounts', readonly Finding[]>>;

/** Longer than each step of it may take. */
const PATIENCE_MS = 20_000;

/** Looks at all that a mount needs, side by side; the service is asked by a few requests. */
export async function examine(path: string | undefined, command: Command): Promise<Examination> {
  const { subject, problem } = await subjectOf(path, command, command.opts<PlatformOptions>());
  const { mountPoint, cacheDir } = subject;
  const state = stateDirectory(process.env, homedir());
  const places = [
    { check: 'state', path: state, elsewhere: 'XDG_STATE_HOME' } as const,
    ...(cacheDir === undefined
      ? []
      : [{ check: 'cache', path: cacheDir, elsewhere: 'SVCFS_CACHE_DIR' } as const]),
  ];
  const [machine, service, mounts, left, ...disks] = await Promise.all([
    within('machine', PATIENCE_MS, () => checkMachine(subject)),
    within('service', PATIENCE_MS, () =>
      problem === undefined ? checkService(command, subject) : misconfigured(problem),
    ),
    within('mounts', PATIENCE_MS, () => checkMounts(mountPoint)),
    within('leftovers', PATIENCE_MS, () => checkState(state, mountPoint)),
    ...places.map((place) => within(place.check, PATIENCE_MS, async () => [await checkPlace(place)])),
  ]);
  return { machine, service, disks: disks.flat(), mounts: [...mounts, ...left] };
}

/** Which checks of the service are left out when one before them fails. */
const STEPS = ['endpoint', 'token', 'clock', 'projects', 'request limit'];

async function checkService(command: Command, subject: Subject): Promise<readonly Finding[]> {
  const options = command.opts<PlatformOptions>();
  const login = `svcfs login${options.profile === undefined ? '' : ` --profile ${quoted(options.profile)}`}`;
  let credentials: Credentials;
  try {
    credentials = await credentialsOf(options, command);
  } catch (error) {
    return notAsked('credentials', error, login);
  }
  const { endpoint } = credentials;
  const found = ok('credentials', `${endpoint}, the token of ${placeOf(credentials)}`);
  try {
    const settings = await resolveNetwork({ ...options, environment: process.env }, endpoint);
    const network = new Network(settings);
    const way = await checkWay(new URL(endpoint), { network, settings });
    if (way.some(({ state }) => state === 'fault')) return [found, ...way, leftOut(STEPS)];
    const asked = await checkApi({ credentials, network, login, ...subject });
    const missing = STEPS.filter((step) => !asked.some(({ check }) => check === step));
    // A proxy may be fine until it is asked for something.
    const isProxy = asked.some(({ check }) => check === 'proxy');
    const before = isProxy ? way.filter(({ check }) => check !== 'proxy') : way;
    return [found, ...before, ...asked, ...(missing.length > 0 ? [leftOut(missing)] : [])];
  } catch (error) {
    return [found, ...notAsked('network', error, login)];
  }
}

async function misconfigured(problem: string): Promise<readonly Finding[]> {
  return [
    fault('configuration', problem, { remedy: 'svcfs config show   # which files are read' }),
    leftOut(STEPS),
  ];
}

function placeOf({ tokenPlaces }: Credentials): string {
  const place = tokenPlaces?.own;
  if (place === undefined) return 'the environment';
  return place.kind === 'profile' ? `profile ${place.profile} in ${place.path}` : place.path;
}

/** Credentials and settings of the network that cannot be used say so themselves, with what to do. */
function notAsked(check: string, error: unknown, login: string): readonly Finding[] {
  const told = asCliError(error);
  if (told === undefined) throw error;
  const [, command, open] = /: run (chmod 600 (.*)|svcfs login.*)$/.exec(told.message) ?? [];
  const fix = open === undefined ? undefined : () => chmod(open, 0o600);
  return [fault(check, told.message, { remedy: command ?? login, fix }), leftOut(STEPS)];
}

function leftOut(steps: readonly string[]): Finding {
  return unknown(steps.join(', '), 'not looked at, for what goes before is not right');
}
