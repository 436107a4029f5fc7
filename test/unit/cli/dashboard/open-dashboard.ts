import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { OneTimeCode } from '../../../../src/cli/dashboard/http/one-time-code.ts';
import type { PageFiles } from '../../../../src/cli/dashboard/http/page-files.ts';
import { serveDashboard } from '../../../../src/cli/dashboard/http/serve-dashboard.ts';
import { Deeds } from '../../../../src/cli/dashboard/live/deeds.ts';
import { LiveView } from '../../../../src/cli/dashboard/live/live-view.ts';
import { WarmUps } from '../../../../src/cli/dashboard/live/warm-ups.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { SomeMounts } from './some-mounts.ts';

export interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const PAGE: PageFiles = new Map([['', { type: 'text/html', content: Buffer.from('<p>the page</p>') }]]);

export const TOKEN = 'AAAAAAAAAAAAAAAAAAAAAA';

/** A dashboard of mounts that are there for the test alone, over real HTTP. */
export async function openDashboard({ mounts = new SomeMounts(), page = PAGE, port: wanted = 0 } = {}) {
  const code = new OneTimeCode(systemClock);
  const warmUps = new WarmUps(mounts);
  const live = new LiveView({ mounts, warmUps, clock: systemClock });
  const deeds = new Deeds({ mounts, warmUps, live });
  const served = await serveDashboard({ token: TOKEN, page, live, deeds, code }, wanted);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= served.close();
    return closed;
  };
  onTestFinished(close);
  const { port } = served;
  /** `path` with its first slash. */
  const ask = async (path: string, options: RequestOptions = {}, body?: string): Promise<Answered> => {
    const answer = await send(path, options, body);
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
  const send = async (path: string, options: RequestOptions, body?: string): Promise<IncomingMessage> => {
    const sent = request({ host: '127.0.0.1', port, path, agent: false, ...options });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer;
  };
  return {
    port,
    close,
    code,
    mounts,
    ask,
    events: (query = '') => eventsOf(() => send(`/${TOKEN}/events${query}`, {})),
  };
}

/** The events of a stream, one after the other, until the caller stops. */
async function* eventsOf(open: () => Promise<IncomingMessage>) {
  const answer = await open();
  let rest = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    const blocks = `${rest}${chunk}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (event !== undefined) yield { event, data: JSON.parse(data ?? '') };
    }
  }
}

/** The first event of a name for which the condition holds. */
export async function first<Told>(
  events: AsyncIterable<{ readonly event: string; readonly data: unknown }>,
  name: string,
  isIt: (told: Told) => boolean = () => true,
): Promise<Told> {
  for await (const { event, data } of events) {
    if (event === name && isIt(data as Told)) return data as Told;
  }
  throw new Error(`no event ${name}`);
}
