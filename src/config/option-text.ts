/** From the text of an option to its value. Each throws `InvalidValue`, whose message says what is expected. */
import { InvalidValue } from './option.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** An API endpoint such as `https://api.example.org/v2`, without a slash at its end. */
export function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new InvalidValue('Expected a URL such as https://api.example.org/v2.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new InvalidValue('An endpoint has no user, query or fragment.');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** `HOST:PORT`, IPv6 in brackets. */
export function parseListenAddress(text: string): ListenAddress {
  const match = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<name>[^:[\]]+)):(?<port>\d{1,5})$/.exec(text);
  const host = match?.groups?.['v6'] ?? match?.groups?.['name'];
  const port = Number(match?.groups?.['port']);
  if (host === undefined || port > 65_535) {
    throw new InvalidValue('Expected HOST:PORT, such as 127.0.0.1:8080; port 0 picks a free one.');
  }
  return { host, port };
}

/** `REQUESTS/SECONDS`, or `off` (undefined). */
export function parseRateLimit(text: string): RateLimit | undefined {
  if (text === 'off') return undefined;
  const match = /^([1-9]\d{0,8})\/([1-9]\d{0,8})$/.exec(text);
  if (match === null) throw new InvalidValue('Expected REQUESTS/SECONDS, such as 1000/300, or off.');
  return { requests: Number(match[1]), windowSeconds: Number(match[2]) };
}

/** Seconds, fractions allowed; answers milliseconds. */
export function parseSeconds(text: string): number {
  if (!/^\d{1,7}(\.\d{1,3})?$/.test(text)) throw new InvalidValue('Expected a number of seconds.');
  return Math.round(Number(text) * 1000);
}

/** `owner/short-name`, as the path below `projects/`. */
export function parseProjectId(text: string): string {
  if (!/^[^/]+\/[^/]+$/.test(text)) throw new InvalidValue('Expected OWNER/NAME of a project.');
  return text;
}
