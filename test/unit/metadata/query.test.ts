import { describe, expect, it, test } from 'vitest';
import type { FileRecord } from '../../../src/api/model.ts';
import { matches } from '../../../src/metadata/query/matches.ts';
import { parseTerm, TermError } from '../../../src/metadata/query/term.ts';

const file: FileRecord = {
  kind: 'file',
  id: 'f1',
  name: 'RNA02.bam',
  project: 'me/study',
  parent: 'folder',
  sizeBytes: 3 * 2 ** 30,
  createdMs: Date.parse('2026-03-01T10:00:00Z'),
  modifiedMs: 0,
  storage: { kind: 'platform', locations: [] },
  originTask: 'task-7',
  originDataset: undefined,
  tags: ['tumour', 'a|b, c'],
  metadata: {
    sample_id: 'P042',
    lane: '10',
    empty: '',
    size: 'small',
    day: '2026-05-31',
    'svc.x': '1',
    'svcfs.mode': '600',
    note: '50% [a]/b',
  },
};

const meets = (text: string): boolean => matches({ file, path: 'bams/RNA02.bam' }, parseTerm(text));

describe('a file meets a condition', () => {
  test.each([
    'sample_id',
    '!reviewed',
    'sample_id=P042',
    'sample_id=P041|P042',
    'sample_id!=P041',
    'reviewed!=yes',
    'sample_id~P0*',
    'sample_id~[A-Z]0?2',
    'empty',
    'empty=',
    'lane>9',
    'lane<=10',
    'lane>=1e1',
    'day<2026-06-01',
    'size>1G',
    'svc.size<4GiB',
    'size=3G',
    'name~*.bam',
    'path~bams/*',
    'path~*.bam',
    'type=file',
    'tag=normal|tumour',
    'tag=a%7Cb, c',
    'created>2026-02-28',
    'task=task-7',
    'key.size=small',
    'key.svc.x=1',
    'svc%2Ex=1',
    'note=50% [a]/b',
    'note=50%25 [a]%2Fb',
    'note~50%25 %5Ba]*',
  ])('%s', (text) => {
    expect(meets(text)).toBe(true);
  });

  test.each([
    '!sample_id',
    'reviewed',
    'sample_id=p042',
    'sample_id!=P042|P043',
    'sample_id>9',
    'lane<9',
    'lane>2026-01-01',
    'sample_id>5',
    'day<9',
    'reviewed=',
    'svcfs.mode',
    'name~*.ba',
    'name~RNA02_bam',
    'tag!=tumour',
    'size=small',
  ])('and not %s', (text) => {
    expect(meets(text)).toBe(false);
  });
});

it('a text that is none is refused, and the fields are named', () => {
  for (const text of ['', '=1', '!', '!a=1', 'key.=1'])
    expect(() => parseTerm(text), text).toThrow(TermError);
  expect(() => parseTerm('svc.nothing=1')).toThrow('there are svc.name, svc.path');
});

it('what has no order is not compared', () => {
  for (const text of ['size>', 'size>1Q', 'size<small', 'lane>abc', 'lane>=1|b', 'created<yesterday'])
    expect(() => parseTerm(text), text).toThrow(TermError);
  expect(() => parseTerm('size>1Q')).toThrow("size>1Q: > takes a size (500, 10K, 1.5G), and '1Q' is none");
});
