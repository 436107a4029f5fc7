import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cleaner } from '../../../../src/cli/debug/cleaner.ts';

const WORDS = new Set(
  'a can cannot copy file id files for get gone is it limit m may next no of read request requests such the there up used wait interval mknod be m c'.split(
    ' ',
  ),
);

/** As a bundle is cleaned: once to learn the names, and once to replace them. */
function cleaned(value: unknown, options: Partial<ConstructorParameters<typeof Cleaner>[0]> = {}): string {
  const cleaner = new Cleaner({ secrets: [], names: false, ownWords: WORDS, ...options });
  cleaner.value(value);
  return JSON.stringify(cleaner.value(value));
}

describe('a bundle holds no secret', () => {
  it.each([
    ['a known token, wherever it stands', { text: 'with hush-hush in it' }],
    ['a field by its name', { auth_token: 'other' }],
    ['the signature of an address', { url: 'https://s3.host/b/k?X-Amz-Signature=other&x=1' }],
    ['a header in a text', { err: { message: 'X-SVC-Auth-Token: other' } }],
    ['the password of a proxy', { proxy: 'http://ada:other@proxy:3128' }],
  ])('%s, with names or without', (_, value) => {
    for (const names of [true, false]) {
      const text = cleaned(value, { secrets: ['hush-hush'], names });
      expect(text).not.toMatch(/hush|other/);
      expect(text).toContain('[redacted]');
    }
  });
});

describe('a name', () => {
  it('is one word throughout a bundle, and another in the next', () => {
    const value = { path: '/projects/ada/study/p42.bam', text: 'p42.bam is gone', first: 'ada/study' };
    const text = cleaned(value);
    const { path, first } = JSON.parse(text);
    expect(text).not.toMatch(/ada|study|p42/);
    const [, , owner, project, file] = path.split('/');
    expect(first).toBe(`${owner}/${project}`);
    expect(JSON.parse(text).text).toBe(`${file} is gone`);
    expect(cleaned(value)).not.toBe(text);
  });

  it('is replaced where nothing but another field tells that it is one', () => {
    const value = [{ text: 'the Results of may be there' }, { path: '/projects/a/b/Results of may' }];
    expect(JSON.parse(cleaned(value))[0].text).toMatch(/^the name-\w{8} be there$/);
  });

  it('is replaced in a text although nothing tells that it is one', () => {
    const text = 'the platform has no hard links: Miller, Anna.bam has one name';
    const words = new Set('the platform has no hard links one name'.split(' '));
    expect(JSON.parse(cleaned({ text }, { ownWords: words })).text).toMatch(
      /^the platform has no hard links: name-\w{8}, name-\w{8} has one name$/,
    );
  });

  it('stays when names are wanted', () => {
    const value = { path: '/projects/ada/study/p42.bam' };
    expect(cleaned(value, { names: true })).toBe(JSON.stringify(value));
  });

  it('of whatever characters is in no field, and in no text', () => {
    const name = fc
      .string({ minLength: 3, unit: 'grapheme' })
      .filter((text) => /\p{L}{3}/u.test(text) && !/[/\0]/.test(text));
    fc.assert(
      fc.property(name, (secret) => {
        const named = `Zq${secret}qZ`;
        const text = cleaned({
          path: `/projects/lab/${named}`,
          text: `cannot read ${named}: no such file`,
          [named]: 1,
        });
        expect(JSON.parse(text).path).not.toContain(named);
        expect(JSON.parse(text).text).not.toContain(named);
      }),
    );
  });
});

it.each([
  { text: 'GET /files/:file_id/actions/copy' },
  { call: 'GET /files/5f0c1e5f0c1e5f0c1e5f0c1e' },
  { endpoint: 'https://api.example.org/v2' },
  { found: 'https://api.example.org/v2, the limit' },
  { remedy: 'mknod -m 666 /dev/fuse c 10 229' },
  { msg: 'request limit used up: requests wait for the next interval', ms: 12.5 },
  { time: '2026-05-31T10:00:00.000Z', level: 'warn' },
  { stack: ['[<0>] request_wait_answer+0x12/0x200 [fuse]'] },
])('what is no name stays: %j', (value) => {
  expect(cleaned(value)).toBe(JSON.stringify(value));
});
