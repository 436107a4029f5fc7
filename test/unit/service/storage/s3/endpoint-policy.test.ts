import { describe, expect, test } from 'vitest';
import { refusedEndpoint } from '../../../../../src/service/storage/s3/endpoint-policy.ts';

const REFUSED = [
  '169.254.169.254',
  '169.254.0.1',
  '169.254.170.2',
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '2852039166',
  '0xa9fea9fe',
  '0xA9.0xFE.0xA9.0xFE',
  '0251.0376.0251.0376',
  '169.254.43518',
  '169%2e254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  '[fe80::1]',
  'fe80::1',
  'fe80::1%eth0',
  '[febf:ffff::1]',
  '[::]',
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  '[fd20:ce::254]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  '[::169.254.169.254]',
  '[64:ff9b::169.254.169.254]',
  '[2002:a9fe:a9fe::1]',
  'metadata.google.internal',
  'Metadata.Google.Internal.',
  'metadata',
  'instance-data.ec2.internal',
  'localhost',
  'LOCALHOST.',
  'store.localhost',
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '[::1]',
  '::ffff:127.0.0.1',
  '[::7f00:1]',
  '10.0.0.7',
  '172.16.0.9',
  '172.31.255.255',
  '192.168.1.5',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'fd12:3456::9',
  '[fec0::1]',
  '[ff02::1]',
  '[64:ff9b::10.0.0.1]',
  '[::ffff:0:10.0.0.1]',
  '[64:ff9b:1::a00:1]',
  '[2002:a00:1::1]',
  '[2001:0:a00:1::1]',
  '１６９.２５４.１６９.２５４',
];

const FINE = [
  's3.example.org',
  's3.eu-central-1.example.org.',
  'localhost.example.org',
  'my-localhost',
  '9.255.255.255',
  '11.0.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.0.1',
  '100.128.0.1',
  '223.255.255.255',
  '[2a00:1450::1]',
  '[2001:db9::1]',
  '[64:ff9b::8.8.8.8]',
  '[2002:808:808::1]',
  '::ffff:8.8.8.8',
  '169.253.255.255',
  '169.255.0.0',
  'metadata.example.org',
  '1.0.0.1',
];

describe('where a volume may lead', () => {
  test.each(REFUSED)('%s is refused', (host) => {
    expect(refusedEndpoint(host, [], [])).toMatch(/is a /);
  });

  test.each(FINE)('%s is not refused', (host) => {
    expect(refusedEndpoint(host, [], [])).toBeUndefined();
  });

  test.each([
    '',
    'a b',
    'user@host',
    '[fe80::1',
    'host:9000',
    'host/path',
    '999.1.1.1',
    'a?b',
    'a#b',
    'a\\b',
  ])('%j is no host', (host) => {
    expect(refusedEndpoint(host, [], [])).toContain('no valid host');
  });

  test('a name is refused by any one of the addresses it leads to', () => {
    expect(refusedEndpoint('s3.example.org', ['203.0.113.7', '169.254.169.254'], [])).toBe(
      's3.example.org is a loopback, private, link-local or metadata address; the operator of the service can allow it ' +
        '(--allow-endpoint)',
    );
    expect(refusedEndpoint('s3.example.org', ['::ffff:a9fe:a9fe'], [])).toContain('link-local');
    expect(refusedEndpoint('s3.example.org', ['fe80::1%eth0'], [])).toContain('link-local');
    expect(refusedEndpoint('s3.example.org', ['203.0.113.7', '10.0.0.1'], [])).toContain('private');
    expect(refusedEndpoint('s3.example.org', ['203.0.113.7', '2a00::1'], [])).toBeUndefined();
  });

  test('what the operator allows is not refused: a name, an address in any form, a network', () => {
    expect(refusedEndpoint('store.local', ['169.254.7.9'], ['STORE.local.'])).toBeUndefined();
    expect(refusedEndpoint('store.local', ['169.254.7.9'], ['169.254.7.9'])).toBeUndefined();
    expect(refusedEndpoint('0xa9fe0709', [], ['169.254.7.9'])).toBeUndefined();
    expect(refusedEndpoint('169.254.7.9', [], ['169.254.7.0/24'])).toBeUndefined();
    expect(refusedEndpoint('[fe80::7]', [], ['fe80::/64'])).toBeUndefined();
    expect(refusedEndpoint('localhost', ['127.0.0.1', '::1'], ['127.0.0.0/8', '::1'])).toBeUndefined();
    expect(refusedEndpoint('metadata.google.internal', [], ['metadata.google.internal'])).toBeUndefined();
  });

  test('an exception makes no other exception', () => {
    expect(refusedEndpoint('169.254.8.9', [], ['169.254.7.0/24'])).toContain('link-local');
    expect(refusedEndpoint('store.local', ['169.254.7.9', '169.254.8.9'], ['169.254.7.9'])).toBeDefined();
    expect(refusedEndpoint('other.local', ['169.254.7.9'], ['store.local'])).toBeDefined();
    expect(refusedEndpoint('127.0.0.1', [], ['10.0.0.0/8', 'localhost'])).toBeDefined();
  });
});
