import { isRunning } from '../../lib/process-identity.ts';
import { CliError, type ExitName } from '../exit-codes.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { askDaemon } from './ask-daemon.ts';
import type { ControlAnswer, ControlRequest } from './control-messages.ts';
import { describeEnded, describeSilence } from './describe-silence.ts';
import type { SvcfsMount } from './require-mount.ts';
import { type Patience, watchLife } from './watch-life.ts';

export interface AskOptions {
  readonly patience?: Patience;
  /** How svcfs ends when nothing is answered. */
  readonly exit?: ExitName;
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
  { patience, exit = 'failure' }: AskOptions = {},
): AsyncGenerator<ControlAnswer> {
  const { socket, record: path } = mount.directory;
  const record = await readOwnRecord(path);
  const hasEnded = record !== undefined && !(await isRunning(record.daemon));
  const life = watchLife(socket, hasEnded ? FOR_ENDED : patience);
  try {
    yield* askDaemon(socket, request, life.lost);
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
