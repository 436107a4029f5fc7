import { isRunning, processState } from '../../lib/process-identity.ts';
import { CliError, type ExitName } from '../exit-codes.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { askDaemon } from './ask-daemon.ts';
import type { ControlAnswer, ControlRequest } from './control-messages.ts';
import type { SvcfsMount } from './require-mount.ts';
import { type Patience, watchLife } from './watch-life.ts';

export interface AskOptions {
  readonly patience?: Patience;
  /** How svcfs ends when nothing is answered. */
  readonly exit?: ExitName;
  /** As `askDaemon` has it. */
  readonly takeBack?: AbortSignal | undefined;
}

/**
 * The socket of a zombie takes questions. The socket of a process in another PID namespace does too, and that process
 * cannot be seen here.
 */
const FOR_ENDED: Patience = { quietMs: 0, answerMs: 1000 };

/**
 * Gives each answer of a mount's process, however long the last one takes; nothing at all when no process listens there.
 *
 * @throws CliError when the process is there and shows no life, or is a zombie
 */
export async function* askMount(
  mount: SvcfsMount,
  request: ControlRequest,
  { patience, exit = 'failure', takeBack }: AskOptions = {},
): AsyncGenerator<ControlAnswer> {
  const { socket, record: path } = mount.directory;
  const record = await readOwnRecord(path);
  const hasEnded = record !== undefined && !(await isRunning(record.daemon));
  const life = watchLife(socket, hasEnded ? FOR_ENDED : patience);
  try {
    yield* askDaemon(socket, request, { signal: life.lost, takeBack });
    if (!life.lost.aborted) return;
  } finally {
    life.stop();
  }
  if (hasEnded) throw new CliError(exit, describeEnded(mount, record));
  throw new CliError(exit, await describeSilence(mount, record, life.lastSignMs()));
}

/** Undefined for a record of another user: what the socket answers tells of it. */
function readOwnRecord(path: string): Promise<MountRecord | undefined> {
  return readRecord<MountRecord>(path).catch(() => undefined);
}

/** Of a process that is there and answers nothing: since when, what it does as far as the system tells, and what helps. */
async function describeSilence(
  { mountPoint, directory }: SvcfsMount,
  record: MountRecord | undefined,
  sinceMs: number,
): Promise<string> {
  const pid = record === undefined ? '' : ` ${record.daemon.pid}`;
  const since = new Date(sinceMs).toISOString();
  const seconds = Math.round((Date.now() - sinceMs) / 1000);
  const state = record === undefined ? '' : await describeState(record);
  return (
    `${mountPoint}: its process${pid} has not answered since ${since} (${seconds} s)${state}. ` +
    `${remedyOf(mountPoint)}. Its log is ${directory.log}`
  );
}

/** Of a process that was killed, and whose mount is still there. */
function describeEnded({ mountPoint }: SvcfsMount, { daemon }: MountRecord): string {
  return `${mountPoint}: its process ${daemon.pid} does not answer: it has ended. ${remedyOf(mountPoint)}`;
}

function remedyOf(mountPoint: string): string {
  return `svcfs unmount --force ${mountPoint} takes the mount away; what is not uploaded waits for the next mount`;
}

async function describeState({ daemon }: MountRecord): Promise<string> {
  switch (await processState(daemon)) {
    case 'T':
    case 't':
      return `; it is stopped: kill -CONT ${daemon.pid} lets it go on`;
    case 'D':
      return '; it waits for a disk or another file system';
    default:
      return '';
  }
}
