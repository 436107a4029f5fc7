import { describe, expect, it } from 'vitest';
import { parseExactly } from '../../../src/lib/exact-json.ts';
import { fitInputs } from '../../../src/tasks/fit-inputs.ts';
import { valueOfTexts } from '../../../src/tasks/input-text.ts';
import { portType } from '../../../src/tasks/port-type.ts';
import { inputPorts } from '../../../src/tasks/ports.ts';

const PORTS = inputPorts({
  inputs: [
    { id: '#main/text', type: 'File' },
    { id: 'reads', type: ['null', { type: 'array', items: 'File' }] },
    { id: 'limit', type: 'int', default: 10 },
    { id: 'ratio', type: 'double?' },
    { id: 'mode', type: ['null', { type: 'enum', symbols: ['#main/mode/fast', 'slow'] }] },
    { id: 'either', type: ['null', 'int', 'string'] },
    {
      id: 'sample',
      type: [
        'null',
        {
          type: 'record',
          fields: [
            { name: 'bam', type: 'File' },
            { name: 'depth', type: 'int?' },
          ],
        },
      ],
    },
    { id: 'anything', type: 'Any?' },
    { id: 'where', type: 'Directory?' },
  ],
});

const inputsOf = (given: object) => fitInputs(PORTS, given as Readonly<Record<string, unknown>>);
const problems = (given: object) => inputsOf({ text: 'in.txt', ...given }).problems;

describe('inputs of a task', () => {
  it('have their files told with the place of each, at any depth', () => {
    const {
      values,
      files,
      problems: none,
    } = inputsOf({
      text: 'in.txt',
      reads: ['a', { class: 'File', location: 'b', secondaryFiles: [{ class: 'File', path: 'b.bai' }] }],
      sample: { bam: { class: 'File', path: 'c' } },
      anything: { deep: [{ class: 'Directory', path: 'd' }] },
      limit: null,
    });
    expect(none).toEqual([]);
    expect(files.map(({ at, file }) => [at, file.class, file.path])).toEqual([
      ['text', 'File', 'in.txt'],
      ['reads[0]', 'File', 'a'],
      ['reads[1]', 'File', 'b'],
      ['reads[1].secondaryFiles[0]', 'File', 'b.bai'],
      ['sample.bam', 'File', 'c'],
      ['anything.deep[0]', 'Directory', 'd'],
    ]);
    for (const { file } of files) file.path = file.path.toUpperCase();
    expect(values).toEqual({
      text: { class: 'File', path: 'IN.TXT' },
      reads: [
        { class: 'File', path: 'A' },
        { class: 'File', path: 'B', secondaryFiles: [{ class: 'File', path: 'B.BAI' }] },
      ],
      sample: { bam: { class: 'File', path: 'C' }, depth: null },
      anything: { deep: [{ class: 'Directory', path: 'D' }] },
    });
  });

  it('tell all that does not fit at once', () => {
    expect(inputsOf({ limit: 'x', reads: 'one', txt: 1 }).problems).toEqual([
      'port txt: the app has no such input; there is text, limit, ratio, mode, reads',
      'port text: expects File, got nothing',
      'port reads: expects File[], got the text "one"',
      'port limit: expects int, got the text "x"',
    ]);
  });

  it.each([
    [{ text: 5 }, 'port text: expects File, got the number 5'],
    [{ text: { class: 'Directory', path: 'x' } }, 'port text: expects File, got a Directory'],
    [{ text: { class: 'File' } }, 'port text: expects File, got one without a path'],
    [{ reads: ['a', 7] }, 'port reads[1]: expects File, got the number 7'],
    [{ limit: 1.5 }, 'port limit: expects int, got the number 1.5'],
    [{ limit: true }, 'port limit: expects int, got true'],
    [{ mode: 'quick' }, 'port mode: expects one of fast, slow, got the text "quick"'],
    [{ either: [] }, 'port either: expects int or string?, got a list of 0'],
    [{ sample: {} }, 'port sample.bam: expects File, got nothing'],
    [{ sample: { bam: 'b', dept: 1 } }, 'port sample.dept: the app has no such input; there is depth, bam'],
    [{ where: { class: 'File', path: 'x' } }, 'port where: expects Directory, got a File'],
  ])('%j: %s', (given, problem) => {
    expect(problems(given)).toEqual([problem]);
  });

  it('keep the digits of numbers', () => {
    const given = parseExactly('{"text":"t","limit":12345678901234567890,"ratio":0.10}');
    expect(inputsOf(given as object).problems).toEqual([]);
    expect(problems(parseExactly('{"either":0.10}') as object)).toEqual([
      'port either: expects int or string?, got the number 0.10',
    ]);
  });

  it('are refused when they are nested without end', () => {
    const endless: { inner?: unknown } = {};
    endless.inner = endless;
    expect(problems({ anything: endless })).toEqual([expect.stringMatching(/: nested too deeply$/)]);
  });
});

describe('a word of the command line', () => {
  it.each([
    ['int', ['5'], 5],
    ['int?', ['x'], 'x'],
    ['string', ['5'], '5'],
    ['boolean', ['true'], true],
    ['File', ['a.txt'], 'a.txt'],
    ['string[]', ['a'], ['a']],
    ['int[]?', ['1', '2'], [1, 2]],
    ['int[]', ['[1,2]'], [1, 2]],
    [['null', 'int', 'string'], ['7'], 7],
    [['null', 'int', 'string'], ['seven'], 'seven'],
    [{ type: 'record', fields: { a: 'int' } }, ['{"a":1}'], { a: 1 }],
    ['int', ['1', '2'], ['1', '2']],
  ])('of %j given as %j is %j', (type, texts, value) => {
    expect(valueOfTexts(portType(type), texts)).toEqual(value);
  });
});

it.each([
  [
    { text: 'File', limit: { type: 'int', default: 3, doc: ['one', 'two'] } },
    ['text', 'limit'],
    [true, false],
  ],
  [undefined, [], []],
])('the ports of %j are found', (inputs, names, required) => {
  const ports = inputPorts({ inputs });
  expect(ports.map(({ name }) => name)).toEqual(names);
  expect(ports.map((port) => port.required)).toEqual(required);
});
