import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl } from '../../../src/config/database-url.ts';
import { InvalidValue } from '../../../src/config/option.ts';
import {
  parseCountFrom,
  parseEndpoint,
  parseHosts,
  parseListenAddress,
  parseMoment,
  parseNamePatterns,
  parseNetworks,
  parseRateLimit,
  parseSeconds,
  parseSecondsFrom,
  parseSize,
  parseSizeFrom,
  parseSizeWithin,
  parseStagingPlace,
  parseUmask,
} from '../../../src/config/option-text.ts';

describe('the text of an option', () => {
  it.each([
    [parseEndpoint, 'http://127.0.0.1:8080/v2/', 'http://127.0.0.1:8080/v2'],
    [parseEndpoint, 'https://api.example.org', 'https://api.example.org'],
    [parseListenAddress, '127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    [parseListenAddress, '[::1]:80', { host: '::1', port: 80 }],
    [parseListenAddress, 'localhost:65535', { host: 'localhost', port: 65535 }],
    [parseRateLimit, '1000/300', { requests: 1000, windowSeconds: 300 }],
    [parseRateLimit, 'off', 'off'],
    [parseSeconds, '60', 60_000],
    [parseSeconds, '0.5', 500],
    [parseSecondsFrom(1), '1', 1000],
    [parseSize, '1048576', 1048576],
    [parseSize, '512M', 512 * 1024 * 1024],
    [parseSize, '1.5gib', 1.5 * 1024 ** 3],
    [parseCountFrom(1, 64), '64', 64],
    [parseUmask, '027', 0o027],
    ...[
      'postgresql://svcfs:pass%23word@db.example.org:5432/svcfs',
      'postgres:///svcfs?host=/run/postgresql&user=svcfs',
      'postgresql://svcfs:secret@/svcfs?host=/run/postgresql',
    ].map((url) => [parseDatabaseUrl, url, url] as const),
    [parseMoment, '90d', { kind: 'away', ms: 90 * 86_400_000 }],
    [parseMoment, '365000d', { kind: 'away', ms: 365_000 * 86_400_000 }],
    [parseMoment, '12h', { kind: 'away', ms: 12 * 3_600_000 }],
    [parseMoment, '2027-01-31', { kind: 'at', ms: Date.UTC(2027, 0, 31) }],
    [parseMoment, '2028-02-29', { kind: 'at', ms: Date.UTC(2028, 1, 29) }],
    [parseMoment, '2027-01-31T12:30', { kind: 'at', ms: Date.UTC(2027, 0, 31, 12, 30) }],
    [parseMoment, '2027-01-31T12:30:05.5Z', { kind: 'at', ms: Date.UTC(2027, 0, 31, 12, 30, 5, 500) }],
    [parseMoment, '2027-01-31T12:30:00+02:00', { kind: 'at', ms: Date.UTC(2027, 0, 31, 10, 30) }],
    [parseHosts, 'store.local, 169.254.7.0/24', ['store.local', '169.254.7.0/24']],
    [parseNetworks, '127.0.0.1,10.0.0.0/8,fd00::/8', ['127.0.0.1', '10.0.0.0/8', 'fd00::/8']],
    [parseNamePatterns, '*~, .*.tmp', ['*~', '.*.tmp']],
    [parseNamePatterns, '', []],
    [parseStagingPlace, 'ada/one', 'ada/one'],
    [parseStagingPlace, 'ada/one/in/deep', 'ada/one/in/deep'],
  ] as const)('is understood: %s %j', (parse, text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it.each([
    [parseEndpoint, 'api.example.org/v2'],
    [parseEndpoint, 'ftp://api.example.org'],
    [parseEndpoint, 'https://user:secret@host/v2'],
    [parseEndpoint, ''],
    [parseListenAddress, '8080'],
    [parseListenAddress, 'host:99999'],
    [parseListenAddress, '::1:80'],
    [parseRateLimit, '0/300'],
    [parseRateLimit, '1000'],
    [parseRateLimit, '-1/2'],
    [parseSeconds, 'soon'],
    [parseSeconds, '-1'],
    [parseSeconds, ''],
    [parseSecondsFrom(1), '0'],
    [parseSecondsFrom(1), '0.999'],
    [parseSize, '12X'],
    [parseSize, 'M'],
    [parseSize, '-1M'],
    [parseCountFrom(1, 64), '0'],
    [parseCountFrom(1, 64), '65'],
    [parseCountFrom(1, 64), 'eight'],
    [parseUmask, '9'],
    [parseUmask, '00022'],
    [parseDatabaseUrl, 'mysql://svcfs@db/svcfs'],
    [parseDatabaseUrl, 'postgresql://svcfs:pass#word/1@db/svcfs'],
    [parseDatabaseUrl, 'postgresql://svcfs@db:port/svcfs'],
    [parseMoment, 'never'],
    [parseMoment, '0d'],
    [parseMoment, '999999w'],
    [parseMoment, '5'],
    [parseMoment, '2027-13-01'],
    [parseMoment, '2027-02-29'],
    [parseMoment, '2027-04-31T12:00:00Z'],
    [parseMoment, '31.01.2027'],
    [parseHosts, ''],
    [parseHosts, 'a,,b'],
    [parseHosts, 'http://host'],
    [parseNetworks, 'proxy.local'],
    [parseNetworks, '10.0.0.0/33'],
    [parseNamePatterns, 'tmp/*'],
    [parseStagingPlace, 'ada'],
    [parseStagingPlace, 'ada/one/'],
  ] as const)('is refused: %s %j', (parse, text) => {
    expect(() => parse(text)).toThrow(InvalidValue);
  });

  it('that is too small a size is refused with the smallest that works', () => {
    expect(() => parseSizeFrom('32M')('31M')).toThrow('at least 32M');
    expect(parseSizeFrom('32M')('32M')).toBe(32 * 1024 * 1024);
  });

  it('that is too large a size is refused with the largest that works', () => {
    const parse = parseSizeWithin('32M', { bytes: () => 64.5 * 1024 * 1024, why: 'which there is' });
    expect(() => parse('999999G')).toThrow('It takes at most 64M, which there is.');
    expect(() => parse('31M')).toThrow('at least 32M');
    expect(parse('64M')).toBe(64 * 1024 * 1024);
  });
});
