import { describe, expect, it } from 'vitest';
import { isLoopback, listsHost } from '../../../src/lib/host-list.ts';
import { parseProxy, placeOf } from '../../../src/lib/proxy-address.ts';
import { portOf, proxyFor } from '../../../src/lib/proxy-rules.ts';

function lists(list: string, address: string): boolean {
  const url = new URL(address);
  return listsHost(list, { host: url.hostname, port: portOf(url) });
}

describe('a list of hosts names, as for curl,', () => {
  it.each([
    ['lab.org', 'https://lab.org', true],
    ['lab.org', 'https://api.lab.org', true],
    ['lab.org', 'https://notlab.org', false],
    ['.lab.org', 'https://lab.org', true],
    ['.lab.org', 'https://api.lab.org', true],
    ['*.lab.org', 'https://api.lab.org', true],
    ['api.lab.org', 'https://lab.org', false],
    ['LAB.org', 'https://Api.Lab.Org', true],
    ['lab.org.', 'https://lab.org', true],
    ['lab.org', 'https://lab.org.', true],
    ['a.org, lab.org', 'https://lab.org', true],
    ['a.org lab.org', 'https://lab.org', true],
    [' ,, lab.org ,', 'https://lab.org', true],
    ['', 'https://lab.org', false],
    [',', 'https://lab.org', false],
    ['.', 'https://lab.org', false],
    ['*', 'https://lab.org', true],
    ['a.org,*', 'https://lab.org', true],
    ['*', 'https://[::1]', true],
  ])('%s for %s: %s', (list, address, expected) => {
    expect(lists(list, address)).toBe(expected);
  });

  it.each([
    ['lab.org:8080', 'http://api.lab.org:8080', true],
    ['lab.org:8080', 'http://lab.org', false],
    ['lab.org:443', 'https://lab.org', true],
    ['lab.org:80', 'http://lab.org', true],
    ['[::1]:8080', 'http://[::1]:8080', true],
    ['[::1]:8080', 'http://[::1]:8081', false],
    ['10.0.0.0/8:8080', 'http://10.1.2.3:8080', true],
    ['*:8080', 'http://lab.org:8080', false],
  ])('a port too: %s for %s: %s', (list, address, expected) => {
    expect(lists(list, address)).toBe(expected);
  });

  it.each([
    ['10.1.2.3', 'http://10.1.2.3', true],
    ['10.1.2.3', 'http://10.1.2.30', false],
    ['2.3', 'http://10.1.2.3', false],
    ['10.0.0.0/8', 'http://10.255.0.1', true],
    ['10.0.0.0/8', 'http://11.0.0.1', false],
    ['10.1.2.3/32', 'http://10.1.2.3', true],
    ['0.0.0.0/0', 'http://1.2.3.4', true],
    ['10.0.0.0/33', 'http://10.0.0.0', false],
    ['10.0.0.0/', 'http://10.0.0.0', false],
    ['10.0.0.0/x', 'http://10.0.0.0', false],
    ['10.0.0.0/8', 'http://ten.org', false],
    ['::1', 'http://[::1]', true],
    ['[::1]', 'http://[::1]:8080', true],
    ['0:0:0:0:0:0:0:1', 'http://[::1]', true],
    ['fd00::/8', 'http://[fd12::1]', true],
    ['[fd00::]/8', 'http://[fd12::1]', true],
    ['fd00::/8', 'http://[fe80::1]', false],
    ['fd00::/129', 'http://[fd00::]', false],
  ])('addresses and networks: %s for %s: %s', (list, address, expected) => {
    expect(lists(list, address)).toBe(expected);
  });
});

it.each([
  ['localhost', true],
  ['a.localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['[::1]', true],
  ['128.0.0.1', false],
  ['mylocalhost', false],
  ['[::2]', false],
])('%s is this machine itself: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

describe('a proxy is given', () => {
  it.each([
    ['http://proxy.lab.org:3128', { secure: false, host: 'proxy.lab.org', port: 3128 }],
    ['proxy.lab.org:3128', { secure: false, host: 'proxy.lab.org', port: 3128 }],
    ['proxy', { secure: false, host: 'proxy', port: 1080 }],
    ['http://proxy', { secure: false, host: 'proxy', port: 1080 }],
    ['http://proxy:80', { secure: false, host: 'proxy', port: 80 }],
    ['https://proxy', { secure: true, host: 'proxy', port: 443 }],
    ['HTTPS://proxy:8443/', { secure: true, host: 'proxy', port: 8443 }],
    ['http://[fd00::1]:3128', { secure: false, host: 'fd00::1', port: 3128 }],
    ['10.0.0.1:8080', { secure: false, host: '10.0.0.1', port: 8080 }],
  ])('as %s', (text, expected) => {
    expect(parseProxy(text)).toEqual(expected);
  });

  it.each([
    ['http://alice:secret@proxy:1', 'alice:secret'],
    ['alice:secret@proxy:1', 'alice:secret'],
    ['http://alice@proxy:1', 'alice:'],
    ['http://a%40b:p%3A%2F%25@proxy:1', 'a@b:p:/%'],
    ['http://alice:p@ss@proxy:1', 'alice:p@ss'],
    ['http://alice:100%@proxy:1', 'alice:100%'],
    ['http://alice:grün@proxy:1', 'alice:grün'],
  ])('with a user and a password: %s', (text, pair) => {
    const address = parseProxy(text);
    expect(address).toMatchObject({
      host: 'proxy',
      port: 1,
      authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
    });
  });

  it.each([
    ['socks5://alice:secret@proxy:1080', /socks5 proxy, and svcfs speaks to HTTP proxies only/],
    ['SOCKS4a://proxy', /socks4a proxy/],
    ['ftp://proxy', /ftp:\/\/ is no kind of proxy/],
    ['http://', /no address such as/],
    ['http://alice:secret@', /no address such as/],
    ['http://pro xy', /no address such as/],
    ['http://alice:secret@proxy:99999', /no address such as/],
  ])('in a way that cannot be used, which is told without its password: %s', (text, reason) => {
    const address = parseProxy(text);
    if (!('unusable' in address)) throw new Error('it is usable');
    expect(address.unusable).toMatch(reason);
    expect(address.unusable).not.toContain('secret');
  });

  it('is named by its place', () => {
    const [plain, v6] = [parseProxy('http://alice:secret@proxy:1'), parseProxy('[fd00::1]:3128')];
    if ('unusable' in plain || 'unusable' in v6) throw new Error('it is unusable');
    expect([placeOf(plain), placeOf(v6)]).toEqual(['proxy:1', '[fd00::1]:3128']);
  });
});

describe('the proxy for an address', () => {
  const named = (from: string) => ({ from, address: { secure: false, host: from, port: 1 } });
  const rules = { http: named('http'), https: named('https'), except: 'lab.org', loopback: false };

  it('goes by the scheme', () => {
    expect(proxyFor(rules, new URL('http://a.org'))?.from).toBe('http');
    expect(proxyFor(rules, new URL('https://a.org'))?.from).toBe('https');
    expect(proxyFor({ ...rules, http: undefined }, new URL('http://a.org'))).toBeUndefined();
  });

  it('is none for what is excepted, and for this machine unless it is asked for', () => {
    expect(proxyFor(rules, new URL('https://api.lab.org'))).toBeUndefined();
    expect(proxyFor(rules, new URL('http://127.0.0.1:8080'))).toBeUndefined();
    const asked = { ...rules, loopback: true };
    expect(proxyFor(asked, new URL('http://127.0.0.1:8080'))?.from).toBe('http');
    expect(proxyFor({ ...asked, except: 'localhost' }, new URL('http://localhost'))).toBeUndefined();
  });
});
