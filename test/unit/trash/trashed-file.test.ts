/** Files in the trash: their names before and now. */
import { describe, expect, it } from 'vitest';
import { isOlderThan, nameBefore, nameInTrash } from '../../../src/trash/trash-name.ts';
import { isAt, newestOfEach, trashedFile } from '../../../src/trash/trashed-file.ts';

const NOW = Date.UTC(2026, 10, 28, 14, 25, 1, 42);
const file = (day: string, ...below: string[]) =>
  trashedFile({ id: below.join('/'), sizeBytes: 1 }, day, below);
const at = (...names: string[]) => ({ rootFolder: 'r', names });

describe('a name in the trash', () => {
  it.each([
    ['a', false, 'a'],
    ['a', true, 'a~142501042'],
    ['a~111111111', false, 'a~111111111~142501042'],
    ['a~1', false, 'a~1'],
  ])('of %s, taken %s, is %s, and tells the name before', (name, isTaken, expected) => {
    expect(nameInTrash(name, NOW, { isTaken })).toBe(expected);
    expect(nameBefore(expected)).toBe(name);
  });
});

describe('a day in the trash', () => {
  it('is older than a time when its end is', () => {
    const day = 86_400_000;
    expect(isOlderThan('2026-11-26', day, Date.UTC(2026, 10, 28) - 1)).toBe(false);
    expect(isOlderThan('2026-11-26', day, Date.UTC(2026, 10, 28))).toBe(true);
  });
});

describe('a file in the trash', () => {
  it('is at its path before, at its path in the trash, and below the folders of both', () => {
    const removed = file('2026-11-28', 'run~142501042', 'a');
    for (const names of [[], ['run'], ['run', 'a'], ['.svcfs-trash'], removed.now])
      expect(isAt(removed, at(...names))).toBe(true);
    for (const names of [['ru'], ['a'], ['run', 'a', 'b'], ['.svcfs-trash', '2026-11-27']])
      expect(isAt(removed, at(...names))).toBe(false);
  });

  it('gives of several files of one path the one that was removed last', () => {
    const files = [
      file('2026-11-27', 'a~999999999'),
      file('2026-11-28', 'a'),
      file('2026-11-28', 'a~142501042'),
      file('2026-11-28', 'a~150000000'),
      file('2026-11-26', 'b'),
    ];
    expect(newestOfEach(files).map(({ id }) => id)).toEqual(['a~150000000', 'b']);
  });
});
