import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { Nullable, OptionalBody, RequestBody } from '../../../../src/contract/schema-kinds.ts';
import { nullRemover } from '../../../../src/service/http/null-remover.ts';

const Inner = RequestBody({ word: Type.Optional(Type.String()), number: Type.Integer() });
const remove = nullRemover(
  OptionalBody(
    RequestBody({
      must: Type.String(),
      may: Type.Optional(Type.String()),
      meant: Type.Optional(Nullable(Type.String())),
      anything: Type.Optional(Type.Unknown()),
      inner: Type.Optional(Nullable(Inner)),
      list: Type.Optional(Type.Array(Inner)),
      map: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
);

test('what may be left out, and knows no null, is left out', () => {
  expect(remove({ must: 'x', may: null, list: null, map: null })).toEqual({ must: 'x' });
});

test('what must be given stays null, as does what null means something for', () => {
  const given = { must: null, meant: null, anything: null, inner: null, map: { key: null } };
  expect(remove(given)).toEqual(given);
});

test('objects within objects and lists are seen to', () => {
  const inner = { word: null, number: null };
  expect(remove({ must: 'x', inner, list: [inner, 'no object'] })).toEqual({
    must: 'x',
    inner: { number: null },
    list: [{ number: null }, 'no object'],
  });
});

test.each([null, 'text', 7, [null]])('%j, which is no object, stays', (value) => {
  expect(remove(value)).toEqual(value);
});

test('fields that the schema does not know stay, so that they are refused', () => {
  const given = JSON.parse('{"must":"x","unknown":null,"__proto__":null}');
  expect(Object.keys(remove(given) as object)).toEqual(['must', 'unknown', '__proto__']);
});
