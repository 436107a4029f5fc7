import { expect, test } from 'vitest';
import { FieldSelector } from '../../../../src/service/http/field-selector.ts';

const file = {
  href: 'h',
  id: '1',
  name: 'a',
  origin: { task: 't', dataset: 'd' },
  metadata: { sample: 's', 'a.b': 'dotted' },
};

function select(fields: string | undefined, defaults?: readonly string[]): object | undefined {
  const selector = new FieldSelector(fields);
  return defaults === undefined ? selector.apply(file) : selector.applyToAll([file], defaults)[0];
}

test('without fields a resource is whole', () => {
  expect(select(undefined)).toEqual(file);
});

test('without fields a list item has its default fields', () => {
  expect(select(undefined, ['id', 'name'])).toEqual({ id: '1', name: 'a' });
});

test('named fields are all there is', () => {
  expect(select('id,name')).toEqual({ id: '1', name: 'a' });
});

test('named fields replace the defaults of a list item', () => {
  expect(select('name', ['id'])).toEqual({ name: 'a' });
});

test('_all shows everything, in lists too', () => {
  expect(select('_all', ['id'])).toEqual(file);
});

test('!a shows all but a', () => {
  expect(select('!metadata,!origin', ['id'])).toEqual({ href: 'h', id: '1', name: 'a' });
});

test('a.b shows a field inside a field', () => {
  expect(select('id,metadata.sample')).toEqual({ id: '1', metadata: { sample: 's' } });
});

test('a.b finds a key that holds a dot', () => {
  expect(select('metadata.a.b')).toEqual({ metadata: { 'a.b': 'dotted' } });
});

test('!a.b drops a field inside a field', () => {
  expect(select('origin,!origin.task')).toEqual({ origin: { dataset: 'd' } });
});

test('spaces around names do not matter, nor do names nobody knows', () => {
  expect(select(' id , nothing ')).toEqual({ id: '1' });
});

test('wants tells what an answer would show', () => {
  expect(new FieldSelector(undefined).wants('tags', ['id'])).toBe(false);
  expect(new FieldSelector(undefined).wants('tags')).toBe(true);
  expect(new FieldSelector('_all').wants('tags', ['id'])).toBe(true);
  expect(new FieldSelector('metadata.x').wants('metadata', [])).toBe(true);
  expect(new FieldSelector('!tags').wants('tags', [])).toBe(false);
  expect(new FieldSelector('!tags').wants('metadata', [])).toBe(true);
});
