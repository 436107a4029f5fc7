import { expect, it } from 'vitest';
import { idInName, taskDirectoryName } from '../../../src/tasks/task-directory.ts';

const id = '6f1d2c3b-0000-4000-8000-000000000000';

it.each([
  ['Flagstat of the child', 'Flagstat of the child~6f1d2c3b'],
  ['a/b\nc\u0000', 'a_b_c_~6f1d2c3b'],
  ['..', '..~6f1d2c3b'],
  ['half \ud800', 'half _~6f1d2c3b'],
  ['a~b', 'a~b~6f1d2c3b'],
])('the directory of a task %j is %j', (name, directory) => {
  expect(taskDirectoryName({ id, name })).toBe(directory);
  expect(idInName(directory)).toBe('6f1d2c3b');
});

it('a long name is cut between its characters', () => {
  const directory = taskDirectoryName({ id, name: '\u{1f9ec}'.repeat(100) });
  expect(Buffer.byteLength(directory)).toBe(4 * 61 + 9);
  expect(directory).not.toContain('\ufffd');
});

it.each(['plain', '~6f1d2c3', 'x~6F1D2C3B', 'x~6f1d2c3b.txt'])('%j names no task', (name) => {
  expect(idInName(name)).toBeUndefined();
});
