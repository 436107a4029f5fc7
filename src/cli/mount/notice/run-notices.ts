import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorCode } from '../../../lib/error-code.ts';
import { messageOf } from '../../../lib/message-of.ts';
import type { Logger } from '../../../observe/logger.ts';
import type { Inquiries } from '../inquiries.ts';
import { type Notice, UploadNotices } from './upload-notices.ts';

interface Told {
  /** The title names it: a person may have several. */
  readonly mountPoint: string;
  readonly log: Logger;
}

const LOOK_EVERY_MS = 5000;
/** A desktop that does not answer keeps no process. */
const PROGRAM_TIMEOUT_MS = 10_000;

/** Tells the desktop of uploads that ended or failed, by notify-send(1), until the mount ends. */
export async function runNotices(
  { writer, clock, ending: signal }: Pick<Inquiries, 'writer' | 'clock' | 'ending'>,
  { mountPoint, log }: Told,
): Promise<void> {
  const notices = new UploadNotices(() => writer.keptAside());
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const notice = await notices.look(writer.uploads(), clock.monotonic());
      if (notice !== undefined) await send(notice, mountPoint);
    } catch (error) {
      const reason = errorCode(error) === 'ENOENT' ? 'there is no notify-send here' : messageOf(error);
      log.warn({ reason }, 'no notices from now on: the desktop cannot be told');
      return;
    }
  }
}

async function send({ urgency, title, body }: Notice, mountPoint: string): Promise<void> {
  const about = ['--app-name=svcfs', `--urgency=${urgency}`];
  await promisify(execFile)('notify-send', [...about, '--', `${mountPoint}: ${title}`, withoutMarkup(body)], {
    timeout: PROGRAM_TIMEOUT_MS,
  });
}

/** Desktops take the text for a kind of HTML. */
function withoutMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
