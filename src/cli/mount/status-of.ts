import { askDaemon } from './ask-daemon.ts';
import type { InquiryAnswer } from './control-messages.ts';
import type { SvcfsMount } from './require-mount.ts';

export type MountStatus = Extract<InquiryAnswer, { readonly answer: 'status' }>;

/** What a mount's calls wait for, and its rate limit, as far as its process says. */
export async function connectionOf(
  mount: Pick<SvcfsMount, 'directory'>,
  ended?: AbortSignal,
): Promise<MountStatus['statistics']['api'] | undefined> {
  return (await statusOf(mount, ended).catch(() => undefined))?.statistics.api;
}

/** Not waited for any more once `ended`. Undefined when the mount's process does not say, or does not know the request. One of another version may say less. */
export async function statusOf(
  { directory }: Pick<SvcfsMount, 'directory'>,
  ended?: AbortSignal,
): Promise<MountStatus | undefined> {
  for await (const said of askDaemon(directory.socket, { request: 'status' }, { signal: ended }))
    return said?.answer === 'status' ? said : undefined;
  return undefined;
}
