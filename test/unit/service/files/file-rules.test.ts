import { expect, test } from 'vitest';
import { checkMerged, checkMetadata } from '../../../../src/service/files/metadata.ts';
import { checkFileName, checkFolderName } from '../../../../src/service/files/names.ts';
import { checkProjectName, shortNameOf } from '../../../../src/service/projects/project-fields.ts';

const code = (number: number) => expect.objectContaining({ code: number });

test('a file name may hold 255 characters, whatever their bytes', () => {
  const name = '😀'.repeat(255);
  expect(checkFileName(name, 5024)).toBe(name);
  expect(() => checkFileName(`${name}x`, 5024)).toThrow(code(5024));
});

test.each([undefined, null, '', 'a/b', 'a\0b', 'a\ud800'])('%j is no file name', (name) => {
  expect(() => checkFileName(name, 8013)).toThrow(code(8013));
});

test('a folder name must not begin with two underscores', () => {
  expect(() => checkFolderName('__inputs')).toThrow(code(5024));
  expect(checkFolderName('_inputs')).toBe('_inputs');
});

test('lengths of metadata count bytes, not characters', () => {
  expect(checkMetadata({ ['é'.repeat(50)]: 'é'.repeat(150) })).toEqual({ ['é'.repeat(50)]: 'é'.repeat(150) });
  expect(() => checkMetadata({ ['é'.repeat(51)]: 'v' })).toThrow(code(5006));
  expect(() => checkMetadata({ key: 'é'.repeat(151) })).toThrow(code(5006));
});

test('the message of a metadata refusal names key and limit', () => {
  expect(() => checkMetadata({ sample: 'x'.repeat(301) })).toThrow(/"sample".*300/);
});

test('null values are ignored and not counted', () => {
  const pairs = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, 'v']));
  expect(Object.keys(checkMetadata({ ...pairs, extra: null }))).toHaveLength(1000);
  expect(() => checkMetadata({ ...pairs, extra: 'v' })).toThrow(code(5006));
});

test('keys are case-sensitive', () => {
  expect(checkMetadata({ Sample: 'a', sample: 'b' })).toEqual({ Sample: 'a', sample: 'b' });
});

test('a value that is not a string is refused', () => {
  expect(() => checkMetadata({ key: 7 })).toThrow(code(5006));
});

test('a PATCH may change a pair of a full file but not add one', () => {
  const full = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, 'v']));
  expect(() => checkMerged(full, { k1: 'w' })).not.toThrow();
  expect(() => checkMerged(full, { other: 'w' })).toThrow(code(5006));
});

test.each([
  ['RNA-seq Trial', 'rna-seq-trial'],
  ['My_Project (2024)!', 'my-project-2024'],
  ['  spaced  out ', 'spaced-out'],
])('the short name of %s is %s', (name, short) => {
  expect(shortNameOf(name)).toBe(short);
});

test.each([undefined, '', '!!!'])('%j is no project name', (name) => {
  expect(() => checkProjectName(name)).toThrow(code(3007));
});
