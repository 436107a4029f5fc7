import { describe, expect, it } from 'vitest';
import { TEMPORARY_NAMES } from '../../../src/config/temporary-names.ts';
import { matcherOf } from '../../../src/lib/match-names.ts';

describe('names that tools use for a moment', () => {
  const isTemporary = matcherOf(TEMPORARY_NAMES);

  it.each([
    ['rsync', '.reads.bam.x7Gh2K'],
    ['sed -i', 'sedXb41Qz'],
    ['zip', 'ziQ3zX1a'],
    ['perl -i', 'XXa81kQp'],
    ['an editor', 'notes~'],
    ['vim', '.notes.swp'],
    ['samtools sort', 'out.bam.tmp.0003.bam'],
    ['samtools sort -T, samtools collate', 'prefix.0000.bam'],
    ['sqlite3', 'runs.db-journal'],
    ['sqlite3', 'runs.db-wal'],
    ['sqlite3', 'runs.db-shm'],
    ['a download', 'ref.fa.part'],
    ['a download', 'ref.fa.partial'],
    ['any tool', 'table.tmp'],
    ['GNOME', '.goutputstream-0X1Y2Z'],
    ['LibreOffice', '.~lock.table.ods#'],
  ])('has those of %s: %s', (_, name) => {
    expect(isTemporary(name)).toBe(true);
  });

  it.each([
    'sample.hg38.bam',
    'sample.sort.bam',
    'sample.chr1.bam',
    'reads.bam',
    'journal',
    'tmp',
    'part',
    'lock',
  ])('has none that people give to files: %s', (name) => {
    expect(isTemporary(name)).toBe(false);
  });
});

describe('a pattern', () => {
  it.each([
    ['*.[0-9]', 'a.7', 'a.x'],
    ['[!a-c]x', 'dx', 'ax'],
    ['[-a]x', '-x', 'bx'],
    ['a[', 'a[', 'ab'],
    ['a]', 'a]', 'ab'],
    ['[^a]', '^', 'b'],
    ['a.b', 'a.b', 'axb'],
    ['(x)+$', '(x)+$', 'xx'],
    ['?', 'é', 'ab'],
    ['[\\d]', 'd', '7'],
  ])('%s stands for %s, and not for %s', (pattern, name, other) => {
    const matches = matcherOf([pattern]);
    expect([matches(name), matches(other)]).toEqual([true, false]);
  });
});
