import { once } from 'node:events';
import { mkdir, rm, stat } from 'node:fs/promises';
import type { Server } from 'node:net';
import { isAbsolute } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Api } from '../../api/api.ts';
import { type AccountDirectory, accountDirectory } from '../../config/directories.ts';
import { mountedOn } from '../../fuse/mount-table.ts';
import { systemClock } from '../../lib/clock.ts';
import { identify } from '../../lib/process-identity.ts';
import { type LogControl, type Logger, openLog } from '../../observe/logger.ts';
import { type ComposedMount, composeMount } from '../compose-mount.ts';
import { CliError } from '../exit-codes.ts';
import { packageVersion } from '../package-version.ts';
import { type AccountRecord, readRecord, removeRecord, writeRecord } from '../record.ts';
import { type Clients, connectClients } from './connect-clients.ts';
import { type ControlHandler, listenForControl } from './control-server.ts';
import type { MountSettings } from './daemon-messages.ts';
import { answerInquiry, type Inquiries } from './inquiries.ts';
import { lockState, type TakenLock } from './lock-state.ts';
import { type MetricsServer, serveMetrics } from './metrics-server.ts';
import { MountEnd } from './mount-end.ts';
import { runNotices } from './notice/run-notices.ts';
import { leadsInside } from './own-files.ts';
import type { RunningMount } from './running-mount.ts';
import { NO_WATCHDOG, startWatchdog, type Watchdog } from './start-watchdog.ts';

/** A usable mount. */
export interface ServedMount {
  readonly username: string;
  readonly warnings: readonly string[];
  readonly metricsUrl: string | undefined;
  readonly end: MountEnd;
  /** The mount is gone and nothing of it is left. */
  readonly ended: Promise<void>;
  rotateLog(): void;
}

interface Given {
  readonly settings: MountSettings;
  readonly log: Logger;
  readonly logControl: LogControl;
  readonly clients: Clients;
}

/** The objects that live beside the mount, as long as it does. */
interface Company extends Given {
  readonly lock: TakenLock;
  readonly control: Server;
  readonly metrics: MetricsServer | undefined;
  readonly watchdog: Watchdog;
}

const STDOUT = 1;
const LAST_ANSWER_MS = 1000;

/**
 * Mounts and keeps serving. Rejects when the mount cannot be made usable, and then leaves nothing behind. `onWait` is
 * told when requests wait for the rate limit, and how long.
 */
export async function serveMount(
  settings: MountSettings,
  onWait: (ms: number) => void,
): Promise<ServedMount> {
  const { logLevel: level, logFormat: format, logSize: limitBytes } = settings.options;
  const { log, control: logControl } = openLog({
    fd: STDOUT,
    path: settings.directory.log,
    level,
    format,
    limitBytes,
  });
  process.on('warning', (warning) => log.warn({ err: warning }, 'warning'));
  const clients = connectClients(settings, log, onWait);
  try {
    const served = await serveWith({ settings, log, logControl, clients });
    return { ...served, rotateLog: logControl.rotate, ended: served.ended.then(() => clients.close()) };
  } catch (error) {
    await clients.close();
    throw error;
  }
}

async function serveWith(given: Given): Promise<Omit<ServedMount, 'rotateLog'>> {
  const { settings, log, clients } = given;
  const { directory, mountPoint, endpoint, options } = settings;
  const { username } = await checkAccess(clients.api);
  process.env['PATH'] = await pathOutside(settings, process.env['PATH'] ?? '');
  let served: { readonly end: MountEnd; readonly inquiries: Inquiries } | undefined;
  const metrics = options.metrics && (await serveMetrics(options.metrics, () => served?.inquiries.metrics()));
  const lock = await lockState(directory, log);
  const handle: ControlHandler = async (request, send, signal) => {
    if (request.request === 'ping') return { answer: 'alive' };
    if (served === undefined) throw new CliError('failure', 'not mounted yet');
    if (request.request === 'abandon') {
      served.end.abandon();
      return { answer: 'unmounted', left: [], refused: [] };
    }
    // A process that was stopped finds requests of askers that have gone away.
    await setImmediate();
    signal.throwIfAborted();
    if (request.request !== 'unmount') return answerInquiry(request, served.inquiries, { send, signal });
    return served.end.unmount((pending) => send({ answer: 'waiting', pending }), signal);
  };
  const control = await listenForControl(directory.socket, handle, { mayReplace: lock.wasTaken });
  const watchdog =
    settings.passed === undefined
      ? startWatchdog(settings, () => log.error({}, 'the watchdog ended'))
      : NO_WATCHDOG;
  const company = { ...given, lock, control, watchdog, metrics };
  try {
    const mount = await mountAndRegister(company, username);
    const end = new MountEnd(mount, log);
    served = { end, inquiries: mount.inquiries };
    log.info({ mountPoint, endpoint, username }, 'mounted');
    const { warnings } = mount;
    for (const warning of warnings) log.warn({}, warning);
    if (options.notify) void runNotices(mount.inquiries, { mountPoint, log });
    const ended = end.ended.then(() => part(company));
    return { username, warnings, metricsUrl: metrics?.url, end, ended };
  } catch (error) {
    log.error({ err: error }, 'mount failed');
    await part(company);
    throw error;
  }
}

async function mountAndRegister(company: Company, username: string): Promise<ComposedMount> {
  const { settings, log, logControl, clients, watchdog } = company;
  const { directory, mountPoint, endpoint } = settings;
  const account = accountDirectory(directory, { endpoint, username });
  await keepRecord(account, { mountPoint, endpoint, username });
  const mount = await composeMount(settings, { log, logControl, account, clients, username });
  detachOnCrash(mount, log);
  try {
    const deviceMinor = await deviceMinorOf(settings);
    if (deviceMinor !== undefined) {
      watchdog.watch(deviceMinor);
      await refuseStateIn(deviceMinor, settings);
    }
    const daemon = await identify(process.pid);
    if (daemon !== undefined) {
      await writeRecord(directory.record, {
        mountPoint,
        endpoint,
        account: account.name,
        daemon,
        version: packageVersion(),
        deviceMinor,
        root: settings.options.root,
        passed: settings.passed !== undefined,
      });
    }
    return mount;
  } catch (error) {
    mount.detachNow();
    await mount.close();
    throw error;
  }
}

/** Undefined for a passed mount whose kernel does not tell it. */
async function deviceMinorOf({ mountPoint, passed }: MountSettings): Promise<number | undefined> {
  if (passed !== undefined) return passed.deviceMinor;
  const mounted = await mountedOn(mountPoint);
  if (mounted === undefined) throw new CliError('failure', `${mountPoint}: unmounted at once`);
  return mounted.deviceMinor;
}

/** Before there is a journal that a mount elsewhere could find. */
async function keepRecord({ root, record }: AccountDirectory, written: AccountRecord): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  if ((await readRecord<AccountRecord>(record)) === undefined) await writeRecord(record, written);
}

/** Its path was looked at before; a bind mount shows here only. */
async function refuseStateIn(deviceMinor: number, { directory: { root } }: MountSettings): Promise<void> {
  const facts = await stat(root).catch(() => undefined);
  if (facts?.dev === deviceOfMinor(deviceMinor))
    throw new CliError('mountPointUnfit', `${root} lies in the mount; choose another`);
}

/** An exception nobody caught ends the process; a mount without a process would answer ENOTCONN for ever. */
function detachOnCrash(mount: RunningMount, log: Logger): void {
  process.on('uncaughtException', (error) => {
    try {
      log.error({ err: error }, 'crashed');
    } finally {
      mount.detachNow();
      process.exit(1);
    }
  });
}

async function part(company: Company): Promise<void> {
  const { settings, log, lock, control, watchdog, metrics } = company;
  metrics?.close();
  control.close();
  // An asker that reads its last answer slowly gets a moment; one that says nothing must not keep us.
  await Promise.race([once(control, 'close'), systemClock.sleep(LAST_ANSWER_MS)]);
  await rm(settings.directory.socket, { force: true });
  await removeRecord(settings.directory.record);
  await watchdog.dismiss();
  await lock.unlock();
  log.info({ mountPoint: settings.mountPoint }, 'ended');
}

/** st_dev of a file system without a disk: major number 0 (gnu_dev_makedev). */
function deviceOfMinor(minor: number): number {
  return (minor & 0xff) | ((minor & ~0xff) << 12);
}

/** Someone waits at a terminal: a service that is restarting may be back by then, more is not worth the wait. */
const PATIENCE_MS = 10_000;

/** Lists the root once: endpoint and token are good, or the error says which is not. Leaves warm connections. */
async function checkAccess(api: Api): Promise<{ readonly username: string }> {
  const options = { timeoutMs: PATIENCE_MS };
  const [user] = await Promise.all([
    api.whoAmI(options),
    api.projects.list({ offset: 0, limit: 1 }, options),
  ]);
  return user;
}

/** Of execvp(3), where nothing else is left. */
const DEFAULT_PATH = '/usr/bin:/bin';

/**
 * PATH without what leads into a directory that is about to be mounted on. A program that is started from here is looked for
 * while this thread waits, which alone could answer a look at the mount.
 */
async function pathOutside(settings: MountSettings, path: string): Promise<string> {
  const directories = path.split(':').filter(isAbsolute);
  const inside = await Promise.all(directories.map((directory) => leadsInside(settings, directory)));
  return directories.filter((_, index) => !inside[index]).join(':') || DEFAULT_PATH;
}
