import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PrintedTable, printTable } from '../../../src/metadata/format/print-table.ts';
import { formatOf, readTable } from '../../../src/metadata/format/read-table.ts';
import { FORMATS, type Format, type Table } from '../../../src/metadata/table.ts';

const read = (text: string, format: Format = 'tsv', blank: 'keep' | 'erase' = 'keep'): Table =>
  readTable(Buffer.from(text), { format, blank });

/** All rows of a table as plain data. */
const rowsOf = ({ rows }: Table) =>
  rows.map(({ pairs, ...row }) => ({ ...row, pairs: Object.fromEntries(pairs) }));

describe('a table that was printed', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }).filter((text) => !/\0|\p{Surrogate}/u.test(text)),
    fc.constantFrom(
      '',
      '__DELETE__',
      '__EMPTY__',
      '\\__DELETE__',
      '\\\\__EMPTY__',
      '\\t',
      '"',
      'a,b\r\n"c"\t',
      ' 7 ',
    ),
  );
  const key = fc.constantFrom(
    'id',
    'sample_id',
    'svc.mine',
    'svc%2E',
    'a,b',
    'tab\there',
    '"q"',
    '__proto__',
  );

  it.each(FORMATS)('is read again as it was: %s', (format) => {
    const row = fc.record({ pairs: fc.dictionary(key, fc.option(value)), tags: fc.array(value) });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), (given) => {
        const keys = [...new Set(given.flatMap(({ pairs }) => Object.keys(pairs)))];
        const table: PrintedTable = {
          facts: ['svc.id', 'svc.path', 'svc.size', 'svc.tags', 'svc.base'],
          keys,
          rows: given.map(({ pairs, tags }, index) => ({
            facts: { 'svc.id': `id${index}`, 'svc.path': `a\t${index}\n`, 'svc.size': 7, 'svc.tags': tags },
            pairs: new Map(Object.entries(pairs)),
          })),
        };
        const again = readTable(Buffer.from([...printTable(table, format)].join('')), { format });
        expect(again.rows.map(({ id, path, tags }) => ({ id, path, tags }))).toEqual(
          given.map(({ tags }, index) => ({ id: `id${index}`, path: `a\t${index}\n`, tags })),
        );
        expect(again.rows.map(({ pairs }) => pairs)).toEqual(
          given.map(({ pairs }) => new Map(Object.entries(pairs))),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('has a line a row in TSV, as @tsv of jq writes it', () => {
    const pairs = new Map([['key', 'a\tb\\n\nc "d"']]);
    const table: PrintedTable = {
      facts: ['svc.id', 'svc.tags'],
      keys: ['key'],
      rows: [{ facts: { 'svc.id': 'i', 'svc.tags': ['x"y', 'a,b'] }, pairs }],
    };
    expect([...printTable(table, 'tsv')]).toEqual([
      'svc.id\tsvc.tags\tkey\n',
      'i\t["x\\\\"y","a,b"]\ta\\tb\\\\n\\nc "d"\n',
    ]);
  });
});

describe('a table by other programs', () => {
  it('may have a byte order mark, CRLF, missing last cells and lines of separators', () => {
    expect(rowsOf(read('\ufeffsvc.id\ta\tb\r\nx\t1\r\n\t\t\r\n\r\ny\t\t2\r\n'))).toMatchObject([
      { number: 2, id: 'x', pairs: { a: '1' }, blanks: ['b'] },
      { number: 5, id: 'y', pairs: { b: '2' }, blanks: ['a'] },
    ]);
    expect(rowsOf(read('\ufeffsvc.id,a,\r\nx,"1, ""2""",\r\n,,\r\n', 'csv'))).toMatchObject([
      { number: 2, id: 'x', pairs: { a: '1, "2"' } },
    ]);
    expect(rowsOf(read('svc.id;a\nx;1,5\n', 'csv'))).toMatchObject([{ id: 'x', pairs: { a: '1,5' } }]);
  });

  it('keeps every value as it is: nothing is taken for a number', () => {
    const values = ['007', '1e5', '2310009E13', 'true', 'null', '2024-01-02', ' x ', '=1+1', "'q"];
    const rows = values.map((each, index) => `${index}\t${each}\n`).join('');
    expect(read(`svc.id\ta\n${rows}`).rows.map(({ pairs }) => pairs.get('a'))).toEqual(values);
  });

  it('leaves blank cells alone, or erases them when told to', () => {
    const text = 'svc.id\tsvc.tags\ta\tb\tc\nx\t\t\t__DELETE__\t__EMPTY__\n';
    expect(rowsOf(read(text))).toMatchObject([{ tags: undefined, pairs: { b: null, c: '' }, blanks: ['a'] }]);
    expect(rowsOf(read(text, 'tsv', 'erase'))).toMatchObject([
      { tags: [], pairs: { a: null, b: null, c: '' }, blanks: [] },
    ]);
    expect(rowsOf(read('{"svc":{"id":"x"},"metadata":{"a":null,"b":"__DELETE__"}}', 'jsonl'))).toMatchObject([
      { tags: undefined, pairs: { a: null, b: '__DELETE__' } },
    ]);
  });

  it('is of the format that its name tells', () => {
    expect(['a.csv', 'A.CSV', 'a.jsonl', 'a.tsv', 'metadata', '-'].map(formatOf)).toEqual([
      'csv',
      'csv',
      'jsonl',
      'tsv',
      'tsv',
      'tsv',
    ]);
  });
});

describe('a table that cannot be used', () => {
  const refusal = (text: string | Uint8Array, format: Format = 'tsv'): string => {
    try {
      readTable(Buffer.from(text), { format });
      return 'taken';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ['', 'tsv', 'the table is empty'],
    ['\r\n\t\t\n', 'tsv', 'the table is empty'],
    ['svc.id\ta\n', 'tsv', 'the table has a header and no rows'],
    [
      'id\ta\nx\t1\n',
      'tsv',
      'row 1: no column svc.id or svc.path tells the files (a column id is a metadata key of that name)',
    ],
    ['svc.id\ta\ta\nx\t1\t2\n', 'tsv', 'row 1: a: two columns have this name'],
    [
      'svc.id\tsvc.name\nx\ty\n',
      'tsv',
      'row 1: svc.name: no column of a table; a key of this name is written svc%2Ename',
    ],
    ['svc.id\ta\nx\t1\t2\n', 'tsv', 'row 2: cell 3 has no column in the header'],
    [
      'svc.id\tsvc.tags\nx\ta, "b"\n',
      'tsv',
      'row 2: svc.tags: tags are a JSON array of texts, such as ["tumour","batch 7"]',
    ],
    ['svc.id\ta\nx\t1\ny\t\0\n', 'tsv', 'row 3: there is a NUL, which the platform does not keep'],
    ['svc.id,a\nx,"1\n', 'csv', 'row 2: no CSV as RFC 4180 has it: Quote Not Closed'],
    [
      '{"svc":{"id":"x"},"metadata":{"a":7}}\n',
      'jsonl',
      'row 1: a: 7 is no text: write it in quotes, or null to erase the pair',
    ],
    ['\n{"svc":\n', 'jsonl', 'row 2: no JSON'],
    ['[1]\n', 'jsonl', 'row 1: no JSON object: a row is {"svc":{…},"metadata":{…}}'],
  ] as const)('%j as %s', (text, format, message) => {
    expect(refusal(text, format)).toContain(message);
  });

  it('tells of text that is not UTF-8, and where', () => {
    const latin1 = Buffer.from('svc.id\ta\nx\t1\ny\tM\xfcnchen\n', 'latin1');
    expect(refusal(latin1)).toBe('row 3: the text is not UTF-8; save it as UTF-8');
    const utf16 = Buffer.from('\ufeffsvc.id\ta\n', 'utf16le');
    expect(refusal(utf16)).toBe('the text is UTF-16; save it as UTF-8');
  });

  it('names all bad rows at once', () => {
    expect(refusal('svc.id\tsvc.tags\nx\t[1]\ny\t[]\nz\t{}\n')).toMatch(/row 2: .*row 4: /);
  });
});
