import { CliError } from '../exit-codes.ts';
import { askMount } from './ask-mount.ts';
import type { InquiryAnswer, InquiryRequest } from './control-messages.ts';
import type { SvcfsMount } from './require-mount.ts';
import type { Patience } from './watch-life.ts';

type AnswerTo<R extends InquiryRequest> = Extract<
  InquiryAnswer,
  { readonly answer: R['request'] extends 'wait' ? 'job' : R['request'] }
>;

/** Asks a mount's process one thing, which it may take long to answer, as long as it shows that it works. */
export async function inquire<R extends InquiryRequest>(
  mount: SvcfsMount,
  request: R,
  patience?: Patience,
): Promise<AnswerTo<R>> {
  for await (const said of askMount(mount, request, { ...(patience && { patience }) })) {
    if (said.answer === 'failed') throw new CliError('failure', said.message);
    return said as AnswerTo<R>;
  }
  const { mountPoint, directory } = mount;
  throw new CliError(
    'failure',
    `${mountPoint}: its process does not answer at ${directory.socket}; only the user who mounted can ask it`,
  );
}
