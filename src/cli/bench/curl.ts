import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { median } from './median.ts';

/** What curl gets over one connection. */
export interface CurlDownload {
  readonly bytes: number;
  readonly bytesPerSecond: number;
  /** From the request to the first byte, connecting included. */
  readonly firstByteMs: number;
}

/** Of curl's `--write-out '%{json}'`, times in seconds. */
interface Transfer {
  readonly http_code: number;
  readonly size_download: number;
  readonly time_starttransfer: number;
  readonly time_total: number;
}

const TIMED_OUT = 28;
const OK = new Set([200, 206]);

/** Downloads for `seconds` at most, or to the end. */
export async function curlDownload(url: string, seconds: number, signal: AbortSignal): Promise<CurlDownload> {
  const [transfer] = await curl([{ url, range: undefined }], seconds, signal);
  if (transfer === undefined) throw new Error('curl told nothing');
  const { size_download: bytes, time_starttransfer: first, time_total: total } = transfer;
  return { bytes, bytesPerSecond: bytes / Math.max(total - first, 0.001), firstByteMs: first * 1000 };
}

/** The median time, in milliseconds, of small ranges one after the other over a connection that is there. */
export async function curlRanges(
  url: string,
  ranges: readonly { readonly offset: number; readonly bytes: number }[],
  signal: AbortSignal,
): Promise<number> {
  const asked = ranges.map(({ offset, bytes }) => ({ url, range: `${offset}-${offset + bytes - 1}` }));
  const [, ...later] = await curl(asked, RANGES_SECONDS, signal);
  return median(later.map(({ time_total: total }) => total * 1000));
}

const RANGES_SECONDS = 10;

interface Asked {
  readonly url: string;
  readonly range: string | undefined;
}

/** A link is a secret for as long as it is good: it goes to curl's standard input, for ps shows arguments. */
async function curl(
  asked: readonly Asked[],
  seconds: number,
  signal: AbortSignal,
): Promise<readonly Transfer[]> {
  const child = spawn('curl', ['--disable', '--config', '-'], { stdio: ['pipe', 'pipe', 'pipe'], signal });
  const failed = once(child, 'error').then(([error]) => {
    throw error;
  });
  const ended = once(child, 'exit');
  child.stdin.on('error', () => {}); // its exit tells more
  child.stdin.end(asked.map((each) => section(each, seconds)).join('next\n'));
  const [out, complaint, [code]] = await Promise.race([
    Promise.all([text(child.stdout), text(child.stderr), ended]),
    failed,
  ]);
  if (code !== 0 && code !== TIMED_OUT) throw new Error(complaint.trim().split('\n', 1)[0] || `exit ${code}`);
  const transfers = out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Transfer]));
  const refused = transfers.find(({ http_code: status }) => !OK.has(status));
  if (refused !== undefined) throw new Error(`the store answered with HTTP status ${refused.http_code}`);
  return transfers;
}

/** Of a configuration file of curl. */
function section({ url, range }: Asked, seconds: number): string {
  const lines = [
    `url = ${JSON.stringify(url)}`,
    'silent',
    'show-error',
    'globoff',
    `max-time = ${seconds}`,
    'output = "/dev/null"',
    'write-out = "%{json}\\n"',
    ...(range === undefined ? [] : [`range = "${range}"`]),
  ];
  return `${lines.join('\n')}\n`;
}
