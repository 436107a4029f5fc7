import { describe, expect, it } from 'vitest';
import { exactText, parseExactly, printExactly } from '../../../src/lib/exact-json.ts';

describe('JSON with exact numbers', () => {
  it.each([
    '{"amount":0.10,"id":12345678901234567890,"small":1e-400,"whole":1.0}',
    '[1,-2,3.5,1e21,-0]',
    '{"text":"0.10 and \\"0.20\\" \\\\","0.30":"1.0"}',
    '"\\u0000#no number"',
  ])('prints %s as it was', (text) => {
    expect(printExactly(parseExactly(text))).toBe(text);
  });

  it('parses numbers that a double holds as numbers', () => {
    expect(parseExactly('{"a":[1,2.5,-3],"b":"1.0"}')).toEqual({ a: [1, 2.5, -3], b: '1.0' });
  });

  it('refuses what is no JSON', () => {
    expect(() => parseExactly('{"a":01}')).toThrow(SyntaxError);
  });

  it('prints nothing but a number for a text that looks marked', () => {
    expect(printExactly({ a: '\u0000#1,"b":2' })).toBe('{"a":"\\u0000#1,\\"b\\":2"}');
  });
});

describe('an amount', () => {
  it.each([
    ['{"amount":0.10}', '0.10'],
    ['{"amount":"0.10"}', '0.10'],
    ['{"amount":7}', '7'],
    ['{"amount":null}', undefined],
  ])('in %s is %s', (text, amount) => {
    expect(exactText((parseExactly(text) as { amount: unknown }).amount)).toBe(amount);
  });
});
