import { describe, expect, it } from 'vitest';
import { parseIni, withKeys, withoutKeys } from '../../../src/config/ini-text.ts';

const TEXT = `# mine
[default]
api_endpoint = https://one.example/v2
; the old one
auth_token: a;b

[Lab 2]   ; no comment of ours
Auth_Token = "x"
  y
`;

const entries = (text: string) =>
  Object.fromEntries([...parseIni(text)].map(([name, keys]) => [name, Object.fromEntries(keys)]));

describe('a text of profiles', () => {
  it('has keys in lower case, and values with all their marks; what is indented goes on', () => {
    expect(entries(TEXT)).toEqual({
      default: { api_endpoint: 'https://one.example/v2', auth_token: 'a;b' },
      'Lab 2': { auth_token: '"x"\ny' },
    });
  });

  it.each([
    ['[a]\nk = 1\nK: 2\n', 'line 3 has k of [a] a second time'],
    ['[a]\n[b]\n[a]\n', 'line 3 begins [a] a second time'],
    ['\nk = 1\n', 'line 2 stands before any [profile]'],
    ['[a]\njust words\n', 'line 2 is no "key = value"'],
  ])('is refused by the number of its line: %j', (text, message) => {
    expect(() => parseIni(text)).toThrow(message);
  });
});

describe('an edited text', () => {
  it('has the new values in place of the old ones, new keys below them, and all else as it was', () => {
    expect(withKeys(TEXT, 'default', { auth_token: 'new', dialect: 'sbg' })).toBe(
      TEXT.replace('auth_token: a;b\n', 'auth_token = new\ndialect = sbg\n'),
    );
    expect(withKeys(TEXT, 'Lab 2', { auth_token: 'new' })).toBe(
      TEXT.replace('Auth_Token = "x"\n  y\n', 'auth_token = new\n'),
    );
  });

  it('has a new section at its end, also where there was nothing', () => {
    expect(withKeys(TEXT, 'east', { auth_token: 't' })).toBe(`${TEXT}\n[east]\nauth_token = t\n`);
    expect(withKeys('', 'east', { auth_token: 't' })).toBe('[east]\nauth_token = t\n');
    expect(entries(withKeys('[lab]', 'lab', { auth_token: 't' }))).toEqual({ lab: { auth_token: 't' } });
  });

  it('loses keys, and a section in which nothing is left; comments stay', () => {
    expect(withoutKeys(TEXT, 'default', ['auth_token'])).toBe(TEXT.replace('auth_token: a;b\n', ''));
    const gone = withoutKeys(TEXT, 'Lab 2', ['auth_token', 'api_endpoint']);
    expect(entries(gone)).toEqual({ default: entries(TEXT)['default'] });
    expect(gone).toContain('# mine');
  });

  it('keeps the ends of its lines', () => {
    const text = '[a]\r\nk = 1\r\n';
    expect(withKeys(text, 'a', { k: '2', l: '3' })).toBe('[a]\r\nk = 2\r\nl = 3\r\n');
  });
});
