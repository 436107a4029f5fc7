/** From the text of an option to its value. Each throws `InvalidValue`, whose message says what is expected. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
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

/** Of a collector of OpenTelemetry: without a path, that of traces. */
export function parseCollector(text: string): string {
  const url = new URL(parseEndpoint(text));
  return url.pathname === '/' ? new URL('/v1/traces', url).href : url.href;
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

/** The same, or a port of this machine's own address alone: `9100`, `:9100`. */
export function parseOwnAddress(text: string): ListenAddress {
  return parseListenAddress(/^:?\d+$/.test(text) ? `127.0.0.1:${text.replace(':', '')}` : text);
}

/** Names, addresses and networks such as `169.254.7.0/24`, by commas. */
/** A location of nginx, such as `/contents/`. */
export function parseLocation(text: string): string {
  if (!/^\/([\w.-]+\/)+$/.test(text)) {
    throw new Error(
      'not a location: it begins and ends with `/`, such as /contents/, and has letters, digits, `.`, `_` and `-`',
    );
  }
  return text;
}

export function parseHosts(text: string): readonly string[] {
  const hosts = text.split(',').map((host) => host.trim());
  if (hosts.some((host) => !/^[^\s/]+(\/\d{1,3})?$/.test(host))) {
    throw new InvalidValue('Expected hosts or networks, such as store.local,169.254.7.0/24.');
  }
  return hosts;
}

/** Addresses, and networks such as `10.0.0.0/8`, by commas. */
export function parseNetworks(text: string): readonly string[] {
  const networks = parseHosts(text);
  const bits = { 4: 32, 6: 128 };
  for (const network of networks) {
    const [address = '', length = '0'] = network.split('/');
    const family = isIP(address) as 0 | 4 | 6;
    if (family === 0 || Number(length) > bits[family]) {
      throw new InvalidValue('Expected addresses or networks, such as 127.0.0.1,10.0.0.0/8.');
    }
  }
  return networks;
}

/** `REQUESTS/SECONDS`, or `off`. Not undefined for that: the parser of the command line takes it for an empty text. */
export function parseRateLimit(text: string): RateLimit | 'off' {
  if (text === 'off') return 'off';
  const match = /^([1-9]\d{0,8})\/([1-9]\d{0,8})$/.exec(text);
  if (match === null) throw new InvalidValue('Expected REQUESTS/SECONDS, such as 1000/300, or off.');
  return { requests: Number(match[1]), windowSeconds: Number(match[2]) };
}

/** A point in time, by itself or so far away from now. */
export type Moment =
  | { readonly kind: 'at'; readonly ms: number }
  | { readonly kind: 'away'; readonly ms: number };

/** Times are kept as texts that are compared, which have years of four digits. */
const LONGEST_SPAN_MS = 1000 * 365 * 86_400_000;

const SPANS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `90d`, `12h`, `30m`; answers milliseconds. */
export function parseSpan(text: string): number {
  const span = /^([1-9]\d{0,5})([smhdw])$/.exec(text);
  if (span === null) throw new InvalidValue('Expected a time such as 30m, 12h or 90d.');
  const ms = Number(span[1]) * SPANS[span[2] as keyof typeof SPANS];
  if (ms > LONGEST_SPAN_MS) throw new InvalidValue('Expected a time of at most 1000 years.');
  return ms;
}

/** `90d`, `12h`, `30m`; or `2027-01-31`, `2027-01-31T12:00:00Z`, which are UTC unless they say otherwise. */
export function parseMoment(text: string): Moment {
  if (/^[1-9]\d{0,5}[smhdw]$/.test(text)) return { kind: 'away', ms: parseSpan(text) };
  const dated = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
  const ms = dated === null ? Number.NaN : Date.parse(dated[1] && !dated[4] ? `${text}Z` : text);
  if (Number.isNaN(ms) || !isDay(text.slice(0, 10))) {
    throw new InvalidValue('Expected a time such as 90d, 12h or 2027-01-31T12:00:00Z.');
  }
  return { kind: 'at', ms };
}

/** Whether the calendar has it: `Date.parse` takes 31 February for a day in March. */
function isDay(text: string): boolean {
  return new Date(Date.parse(text)).toISOString().startsWith(text);
}

/** Seconds, fractions allowed; answers milliseconds. */
export function parseSeconds(text: string): number {
  if (!/^\d{1,7}(\.\d{1,3})?$/.test(text)) throw new InvalidValue('Expected a number of seconds.');
  return Math.round(Number(text) * 1000);
}

/** As `parseSeconds`, and at least so many. */
export function parseSecondsFrom(smallest: number): (text: string) => number {
  return (text) => {
    const ms = parseSeconds(text);
    if (ms < smallest * 1000) throw new InvalidValue(`It takes at least ${smallest} s.`);
    return ms;
  };
}

/** An absolute path: the process that uses it may have another working directory. */
export function parseDirectory(text: string): string {
  if (text === '') throw new InvalidValue('Expected a directory.');
  return resolve(text);
}

/** `owner/short-name`, and the path of a folder in that project if one is given. */
export function parseStagingPlace(text: string): string {
  if (!/^[^/]+\/[^/]+(\/[^/]+)*$/.test(text))
    throw new InvalidValue('Expected OWNER/NAME of a project, or OWNER/NAME/FOLDER.');
  return text;
}

/** Patterns of names by commas: `*` stands for any characters, `?` for one, `[0-9]` for one of these. An empty text: none. */
export function parseNamePatterns(text: string): readonly string[] {
  const patterns = text.split(',').map((pattern) => pattern.trim());
  if (patterns.some((pattern) => pattern.includes('/'))) {
    throw new InvalidValue('Expected patterns of names, such as *~,.*.tmp, without a slash.');
  }
  return patterns.filter((pattern) => pattern !== '');
}

const UNITS = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 } as const;

/** `512M`, `1.5G`, `1048576`: units of 1024. Answers bytes. */
export function parseSize(text: string): number {
  const match = /^(\d{1,15}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?$/i.exec(text);
  const unit = match?.[2]?.toUpperCase() as keyof typeof UNITS | undefined;
  if (match === null || unit === undefined) throw new InvalidValue('Expected a size, such as 512M or 2G.');
  return Math.round(Number(match[1]) * UNITS[unit]);
}

/** A size of at least `smallest`, which is written as a person would give it. */
export function parseSizeFrom(smallest: string): (text: string) => number {
  return (text) => {
    const sizeBytes = parseSize(text);
    if (sizeBytes < parseSize(smallest)) throw new InvalidValue(`It takes at least ${smallest}.`);
    return sizeBytes;
  };
}

/** As `parseSizeFrom`, and at most so many bytes, which are asked for when there is something to compare. */
export function parseSizeWithin(
  smallest: string,
  largest: { readonly bytes: () => number; readonly why: string },
): (text: string) => number {
  const parse = parseSizeFrom(smallest);
  return (text) => {
    const sizeBytes = parse(text);
    const largestBytes = largest.bytes();
    if (sizeBytes > largestBytes)
      throw new InvalidValue(`It takes at most ${Math.floor(largestBytes / UNITS.M)}M, ${largest.why}.`);
    return sizeBytes;
  };
}

export function parseCountFrom(smallest: number, largest: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(count >= smallest && count <= largest)) {
      throw new InvalidValue(`Expected a number from ${smallest} to ${largest}.`);
    }
    return count;
  };
}

/** As umask(1) takes it: octal. */
export function parseUmask(text: string): number {
  if (!/^[0-7]{1,4}$/.test(text)) throw new InvalidValue('Expected permission bits in octal, such as 022.');
  return Number.parseInt(text, 8) & 0o777;
}
