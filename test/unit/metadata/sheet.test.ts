import { describe, expect, it } from 'vitest';
import { readSheet } from '../../../src/metadata/format/sheet.ts';

const ILLUMINA = [
  '[Header],,,,',
  'IEMFileVersion,5,,,',
  'Experiment Name,"Run, 7",,,',
  '',
  '[Reads],,,,',
  '151,,,,',
  '[Data],,,,',
  'Sample_ID,Sample_Name,index,Sample_Project,',
  'S-1,one,ATTACTCG,P1,',
  'S-2,"two, again",TCCGGAGA,,',
  ',,,,',
].join('\r\n');

const SECOND_VERSION = [
  '[Header]',
  'FileFormatVersion,2',
  '[BCLConvert_Data]',
  'Sample_ID,Index',
  'S1,AAAA',
  '',
  '[Cloud_Data]',
  'Sample_ID,ProjectName',
  'S1,other',
].join('\n');

const read = (text: string, column: string, format: 'csv' | 'tsv' = 'csv') => {
  const { keys, rows } = readSheet(Buffer.from(text), format, column);
  return { keys, rows: rows.map(({ pairs, ...row }) => ({ ...row, pairs: Object.fromEntries(pairs) })) };
};

describe('a sample sheet', () => {
  it("is the section of data of Illumina's SampleSheet.csv, with the rows of the file", () => {
    expect(read(ILLUMINA, 'Sample_ID')).toEqual({
      keys: ['Sample_Name', 'index', 'Sample_Project'],
      rows: [
        {
          number: 9,
          sample: 'S-1',
          pairs: { Sample_Name: 'one', index: 'ATTACTCG', Sample_Project: 'P1' },
          blanks: [],
        },
        {
          number: 10,
          sample: 'S-2',
          pairs: { Sample_Name: 'two, again', index: 'TCCGGAGA' },
          blanks: ['Sample_Project'],
        },
      ],
    });
    expect(read(SECOND_VERSION, 'Sample_ID')).toMatchObject({
      rows: [{ sample: 'S1', pairs: { Index: 'AAAA' } }],
    });
  });

  it('is a table of entities as Terra has them', () => {
    const text = 'entity:sample_id\tparticipant\tcohort\nNA12878\tHG001\t007\n';
    expect(read(text, 'entity:sample_id', 'tsv')).toEqual({
      keys: ['participant', 'cohort'],
      rows: [{ number: 2, sample: 'NA12878', pairs: { participant: 'HG001', cohort: '007' }, blanks: [] }],
    });
  });

  it.each([
    ['a,b\n1,2\n', 'row 1: no column Sample_ID; there are a, b'],
    ['[Header]\nx,1\n', 'none is [Data] or [BCLConvert_Data]'],
    ['Sample_ID,a,a\n1,2,3\n', 'row 1: a: two columns have this name'],
    ['Sample_ID,a\n,2\n', 'row 2: Sample_ID: blank'],
    ['Sample_ID,svc.id\n1,2\n', 'row 1: svc.id: a key of this name is written svc%2Eid'],
    ['Sample_ID,a\n', 'the sheet has a header and no rows'],
    ['', 'the sheet is empty'],
  ])('that cannot be used is refused: %j', (text, message) => {
    expect(() => read(text, 'Sample_ID')).toThrow(message);
  });
});
