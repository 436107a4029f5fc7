/** `svcfs meta import --key`: sample sheets as other programs write them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

let served: ServedMount;
let project: string;
beforeAll(async () => {
  served = await ServedMount.start();
  project = served.path('projects/demo/rna-seq-study');
});
afterAll(() => served?.clean());

const at = (name: string): string => join(served.sandbox.root, name);

async function imported(name: string, text: string, key: string, ...args: string[]) {
  await writeFile(at(name), text);
  return served.sandbox.svcfs(['meta', 'import', at(name), '--key', key, '--in', project, ...args]);
}

const attribute = (path: string, name: string): Promise<string> =>
  shell(`getfattr --only-values -n user.${name} '${join(project, path)}'`);

/** As the sequencer's software writes it: sections, separators to the end of each line, CRLF. */
const ILLUMINA = [
  '[Header],,,,,',
  'IEMFileVersion,5,,,,',
  'Experiment Name,"RNA, pilot",,,,',
  'Date,11/20/2026,,,,',
  'Workflow,GenerateFASTQ,,,,',
  ',,,,,',
  '[Reads],,,,,',
  '151,,,,,',
  '151,,,,,',
  ',,,,,',
  '[Settings],,,,,',
  'Adapter,AGATCGGAAGAGCACACGTCTGAACTCCAGTCA,,,,',
  ',,,,,',
  '[Data],,,,,',
  'Sample_ID,Sample_Name,I7_Index_ID,index,Sample_Project,Description',
  'RNA01,one,UDI0001,CCGCGGTT,pilot,"first, of two"',
  'RNA02,two,UDI0002,TTATAACC,pilot,',
  'RNA_03,three,UDI0003,GGACTTGG,pilot,',
  'X99,none,UDI0099,AAGTCCAA,pilot,',
].join('\r\n');

describe('a sample sheet', () => {
  test("Illumina's SampleSheet.csv gives its columns to all files of each sample", async () => {
    let result = { code: null as number | null, stdout: '', stderr: '' };
    const calls = await served.countingCalls(async () => {
      result = await imported('SampleSheet.csv', ILLUMINA, 'Sample_ID=sample_id', '--undo', at('undo.tsv'));
    });
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/^16 files: 16 changed\n/);
    expect(result.stderr).toMatch(
      /^svcfs: 2 rows have no file: RNA_03 \(RNA03 exists\), X99\nsvcfs: \d+ files have no row: /,
    );
    // The listing tells what files have.
    expect(calls).toMatchObject({ 'POST /v2/bulk/files/edit': 1 });
    expect(calls['POST /v2/bulk/files/get'] ?? 0).toBe(0);
    expect(await attribute('aligned/RNA01.bam', 'Description')).toBe('first, of two');
    expect(await attribute('aligned/RNA02.bam', 'index')).toBe('TTATAACC');
    await expect(attribute('aligned/RNA02.bam', 'Description')).rejects.toThrow('No such attribute');
    await expect(attribute('aligned/RNA01.bam', 'Sample_ID')).rejects.toThrow('No such attribute');
    await expect(attribute('aligned/RNA03.bam', 'index')).rejects.toThrow('No such attribute');
    const again = await served.sandbox.svcfs([
      'meta',
      'import',
      at('SampleSheet.csv'),
      '--key',
      'Sample_ID=sample_id',
      '--in',
      project,
    ]);
    expect(again.stdout).toBe('16 files: 0 changed, 16 unchanged\n');
    expect(await served.sandbox.svcfs(['meta', 'undo', at('undo.tsv'), '--no-undo'])).toMatchObject({
      code: 0,
    });
    await expect(attribute('aligned/RNA02.bam', 'index')).rejects.toThrow('No such attribute');
  });

  test('a table of entities as Terra has it is joined by the same words', async () => {
    const table = 'entity:sample_id\tparticipant\tcohort\nRNA05\tP-005\t007\nRNA06\tP-006\t008\n';
    const { code, stdout } = await imported('samples.tsv', table, 'entity:sample_id=sample_id');
    expect({ code, stdout: stdout.split('\n')[0] }).toEqual({ code: 0, stdout: '16 files: 16 changed' });
    expect(await attribute('aligned/RNA05.bam', 'cohort')).toBe('007');
    await expect(attribute('aligned/RNA05.bam', 'entity:sample_id')).rejects.toThrow('No such attribute');
  });

  test('the sheet that lies in the project itself is taken', async () => {
    const sheet = await readFile(join(project, 'sample-sheet.csv'), 'utf8');
    const [column = ''] = sheet.split(/[,\n]/);
    const { code, stderr } = await imported('copy.csv', sheet, `${column}=sample_id`, '--accept');
    expect({ code, rows: /rows? ha(?:s|ve) no file/.test(stderr) }).toEqual({ code: 0, rows: false });
  });

  test.each([
    ['a sample twice', 'id,a\nRNA01,1\nRNA02,1\nRNA01,2\n', 'id=sample_id', 'row 4: RNA01 has row 2 already'],
    [
      'no such column',
      'id,a\nRNA01,1\n',
      'Sample_ID=sample_id',
      'row 1: no column Sample_ID; there are id, a',
    ],
    ['no key', 'id,a\nRNA01,1\n', 'id', '--key id: write COLUMN=KEY, such as Sample_ID=sample_id'],
    [
      'a value that is too long',
      `id,a\nRNA01,${'x'.repeat(301)}\n`,
      'id=sample_id',
      'row 2: a: a value has at most 300 bytes',
    ],
    ['another section', '[Header],\nx,1\n', 'id=sample_id', 'none is [Data] or [BCLConvert_Data]'],
  ])('%s is refused before anything is asked', async (_, text, key, message) => {
    const calls = await served.countingCalls(async () => {
      const { code, stderr } = await imported('bad.csv', text, key);
      expect(code).toBe(2);
      expect(stderr).toContain(message);
    });
    expect(calls['GET /v2/files/:file_id/list']).toBe(0);
  });
});
