import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { escapedName, meaningOf, shownName } from '../../../../src/vfs/model/escape.ts';

const awkward = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('a', '%', '\ud800', '\ud801', '\udc00', '\ufffd') }),
  fc.string({ unit: fc.constantFrom('a', '%', '.', '~', '\0', '2F', '%2F', 'svc~', 'ä') }),
  fc.constantFrom('', '.', '..', 'svc~', 'svc~..', 'a'.repeat(256), 'ä'.repeat(200), `${'%'.repeat(90)}\0`),
);
const name = awkward.filter((text) => !text.includes('/'));
const kind = fc.constantFrom('entry' as const, 'prefix' as const);

describe('names shown', () => {
  it('are names that Linux takes', () => {
    fc.assert(
      fc.property(name, kind, (text, of) => {
        const shown = shownName(text, of);
        expect(Buffer.byteLength(shown)).toBeGreaterThan(0);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(255);
        expect(shown).not.toMatch(/[/\0]/);
        expect(['.', '..']).not.toContain(shown);
      }),
    );
  });

  it('mean what they stand for, unless only a digest fits', () => {
    fc.assert(
      fc.property(name, kind, (text, of) => {
        const meaning = meaningOf(shownName(text, of));
        if (meaning.kind === 'digest') return;
        if (meaning.kind === 'nothing') throw new Error('a shown name means nothing');
        expect(meaning.name).toBe(text);
        if (meaning.kind !== 'plain') expect(meaning.kind).toBe(`escaped-${of}`);
      }),
    );
  });

  it('differ when the names differ', () => {
    fc.assert(
      fc.property(name, name, kind, (a, b, of) => {
        fc.pre(a !== b);
        expect(Buffer.from(shownName(a, of))).not.toEqual(Buffer.from(shownName(b, of)));
      }),
    );
  });

  it('differ, are text and are found by a digest where names hold half of a surrogate pair', () => {
    const shown = ['\ud800x', '\ud801x', 'x\udc00', '\ufffdx'].map((text) => shownName(text, 'entry'));
    expect(new Set(shown.map((text) => Buffer.from(text).toString())).size).toBe(4);
    expect(shown.map((text) => meaningOf(text).kind)).toEqual(['digest', 'digest', 'digest', 'plain']);
    for (const text of shown) expect(Buffer.from(text).toString()).toBe(text);
  });

  it('are the names themselves wherever possible', () => {
    for (const plain of ['a', '.bashrc', '...', '100%', 'a b', 'ä'.repeat(127), 'x~']) {
      expect(shownName(plain, 'entry')).toBe(plain);
    }
  });

  it('are those the documentation gives', () => {
    expect(shownName('', 'entry')).toBe('svc~');
    expect(shownName('', 'prefix')).toBe('svc~%2F');
    expect(shownName('..', 'entry')).toBe('svc~..');
    expect(escapedName('a', 'prefix')).toBe('svc~a%2F');
    expect(shownName('a\0b', 'entry')).toBe('svc~a%00b');
    expect(shownName('.svcfs', 'entry')).toBe('svc~.svcfs');
  });
});

it('a name that looks escaped and is never shown means nothing', () => {
  for (const shown of ['svc~plain', 'svc~%41', 'svc~a%2Fb', 'svc~%', 'svc~%2f', '.svcfs']) {
    expect(meaningOf(shown)).toEqual({ kind: 'nothing' });
  }
});
