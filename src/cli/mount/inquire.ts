import { CliError } from '../exit-codes.ts';
import { askDaemon } from './ask-daemon.ts';
import type { InquiryAnswer, InquiryRequest } from './control-messages.ts';
import type { SvcfsMount } from './require-mount.ts';

type AnswerTo<R extends InquiryRequest> = Extract<
  InquiryAnswer,
  { readonly answer: R['request'] extends 'wait' ? 'job' : R['request'] }
>;

/** Asks a mount's process one thing. The signal ends the waiting for one that does not get to it, as one that is stopped. */
export async function inquire<R extends InquiryRequest>(
  { mountPoint, directory }: SvcfsMount,
  request: R,
  signal?: AbortSignal,
): Promise<AnswerTo<R>> {
  for await (const said of askDaemon(directory.socket, request, signal)) {
    if (said.answer === 'failed') throw new CliError('failure', said.message);
    return said as AnswerTo<R>;
  }
  const hint = signal?.aborted ? `its log is ${directory.log}` : 'only the user who mounted can ask it';
  throw new CliError('failure', `${mountPoint}: its process does not answer at ${directory.socket}; ${hint}`);
}
