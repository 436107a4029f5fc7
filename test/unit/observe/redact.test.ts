import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redacted } from '../../../src/observe/redact.ts';

describe('a line of the log', () => {
  it.each([
    ['a field', JSON.stringify({ msg: 'm', token: 'hush' })],
    ['a field with quotes and backslashes in it', JSON.stringify({ secret: 'hush"hush\\"hush\\' })],
    ['a field far down', JSON.stringify({ a: { b: { c: [{ d: { secret_access_key: 'hush' } }] } } })],
    ['a field of a library', JSON.stringify({ config: { credentials: { secretAccessKey: 'hush' } } })],
    ['a header', JSON.stringify({ headers: { 'X-SVC-Auth-Token': 'hush', authorization: 'Bearer hush' } })],
    ['a header for a proxy', JSON.stringify({ headers: { 'proxy-authorization': 'Basic hush' } })],
    ['JSON in text', JSON.stringify({ err: { body: JSON.stringify({ secret_access_key: 'hush' }) } })],
    ['JSON in JSON in text', JSON.stringify({ t: JSON.stringify({ u: JSON.stringify({ token: 'hush' }) }) })],
    ['a signed URL', JSON.stringify({ err: 'GET https://host:80/b/7?expires=9&signature=hush failed' })],
    [
      'a pre-signed URL',
      JSON.stringify({ url: 'https://s3.host/b/k?X-Amz-Credential=hush&X-Amz-Signature=hush' }),
    ],
    ['a signed path', JSON.stringify({ url: '/storage/blobs/7?expires=9&signature=hush' })],
    ['a database URL', JSON.stringify({ err: 'cannot reach postgresql://svcfs:hush@db.host/svcfs' })],
    ['a header in text', 'x-svc-auth-token: hush'],
    ['an authorization in text', 'Authorization: Bearer hush'],
  ])('holds no secret that was in %s', (_, line) => {
    expect(redacted(line)).not.toContain('hush');
    expect(redacted(line)).toContain('[redacted]');
  });

  it.each([
    JSON.stringify({ op: 'read', path: '/a b/c?d=e', ms: 3, msg: 'done' }),
    JSON.stringify({ err: 'the token is missing', code: 90001 }),
    JSON.stringify({ url: 'http://127.0.0.1:8080/v2/files', user: 'ann@example.org' }),
  ])('is left as it is otherwise: %s', (line) => {
    expect(redacted(line)).toBe(line);
  });

  it('is JSON still, whatever the secret was', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (secret, other) => {
        const line = JSON.stringify({ other, nested: { secret, after: 1 } });
        const parsed = JSON.parse(redacted(line));
        expect(parsed.nested).toEqual({ secret: '[redacted]', after: 1 });
      }),
    );
  });
});
