import { CliError } from '../exit-codes.ts';
import { type AskOptions, askMount } from './ask-mount.ts';
import type { InquiryAnswer, InquiryRequest } from './control-messages.ts';
import { otherVersion } from './other-version.ts';
import type { SvcfsMount } from './require-mount.ts';

export type AnswerTo<R extends InquiryRequest> = Extract<InquiryAnswer, { readonly answer: R['request'] }>;

/** Asks a mount's process one thing, which it may take long to answer, as long as it shows that it works. */
export async function inquire<R extends InquiryRequest>(
  mount: SvcfsMount,
  request: R,
  options?: Pick<AskOptions, 'patience' | 'takeBack'>,
): Promise<AnswerTo<R>> {
  const other = await otherVersion(mount);
  if (other !== undefined) console.error(`svcfs: ${other}`);
  return inquireQuietly(mount, request, options);
}

/** As `inquire`, for who asks again and again: nothing is printed about a mount of another version. */
export async function inquireQuietly<R extends InquiryRequest>(
  mount: SvcfsMount,
  request: R,
  options?: Pick<AskOptions, 'patience' | 'takeBack'>,
): Promise<AnswerTo<R>> {
  const { mountPoint, directory } = mount;
  for await (const said of askMount(mount, request, options)) {
    if (said?.answer === 'failed') throw new CliError('failure', said.message);
    if (said?.answer !== request.request)
      throw new CliError(
        'failure',
        `${mountPoint}: its process does not know the request '${request.request}'`,
      );
    return said as AnswerTo<R>;
  }
  throw new CliError(
    'failure',
    `${mountPoint}: its process does not answer at ${directory.socket}; only the user who mounted can ask it`,
  );
}
