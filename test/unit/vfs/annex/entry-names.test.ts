import { expect, it } from 'vitest';
import { entryName, namesOfFiles } from '../../../../src/vfs/annex/entry-names.ts';

it('names in a directory of queries hold nothing that means something there', () => {
  expect(entryName('a=b|c~d/50%')).toBe('a%3Db%7Cc%7Ed%2F50%25');
  expect([entryName('..'), entryName('.svcfs'), entryName('.hidden')]).toEqual([
    '%2E.',
    '%2Esvcfs',
    '.hidden',
  ]);
  expect([entryName(''), entryName('ä'.repeat(128))]).toEqual([undefined, undefined]);
});

it('files have their own names there, or their paths where two have the same', () => {
  const folder = { kind: 'folder', project: 'me/study', names: ['top'], id: 'f', parent: 'root' } as const;
  const files = [
    ['top', 'a', 'x.bam'],
    ['top', 'b', 'x.bam'],
    ['top', 'b', 'y.bam'],
  ].map((names) => ({ kind: 'file', project: 'me/study', names, file: {} as never }) as const);
  expect([...namesOfFiles(folder, files)]).toEqual([
    ['a%2Fx.bam', 'a/x.bam'],
    ['b%2Fx.bam', 'b/x.bam'],
    ['y.bam', 'b/y.bam'],
  ]);
});
