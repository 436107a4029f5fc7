import { describe, expect, test } from 'vitest';
import { secondaryName, secondaryPatterns } from '../../../../src/service/apps/secondary-names.ts';
import { CwltoolLog } from '../../../../src/service/engines/cwltool/cwltool-log.ts';
import { LineSplitter } from '../../../../src/service/engines/cwltool/line-splitter.ts';
import { containerImages, engineDocument } from '../../../../src/service/engines/engine-document.ts';
import { instanceTypeFor } from '../../../../src/service/engines/instance-types.ts';
import { declaredMetadata, outputMetadata } from '../../../../src/service/task-runs/output-metadata.ts';
import { outputFileName, outputFolderName } from '../../../../src/service/task-runs/output-names.ts';
import { folderPathOf } from '../../../../src/service/tasks/output-location.ts';

describe('secondary files', () => {
  test.each([
    ['.bai', 'a.bam.bai'],
    ['^.bai', 'a.bai'],
    ['^^.dict', 'a.dict'],
    ['^^^.x', 'a.x'],
  ])('are named by the pattern %s', (pattern, name) => {
    expect(secondaryName('a.bam', { pattern, required: true })).toBe(name);
  });

  test.each([
    ['.bai', [{ pattern: '.bai', required: true }]],
    ['.bai?', [{ pattern: '.bai', required: false }]],
    [{ pattern: '.bai', required: false }, [{ pattern: '.bai', required: false }]],
    [
      ['.bai', '$(self.nameroot).x', { pattern: '^.y?' }],
      [
        { pattern: '.bai', required: true },
        { pattern: '^.y', required: false },
      ],
    ],
    [undefined, []],
    [7, []],
  ])('are asked for by %j', (given, patterns) => expect(secondaryPatterns(given)).toEqual(patterns));
});

describe('the document of an app', () => {
  test('loses the keys of the platform, however deep, and gets a version', () => {
    const step = { class: 'CommandLineTool', inputs: {}, outputs: {}, description: 'd', 'svc:job': {} };
    const app = {
      class: 'Workflow',
      inputs: {},
      outputs: {},
      steps: { s: { run: step } },
      'svc:id': 'x',
      id: 'x/1',
    };
    expect(engineDocument(app, 'name')).toEqual({
      class: 'Workflow',
      id: 'name',
      cwlVersion: 'v1.2',
      inputs: {},
      outputs: {},
      steps: { s: { run: { class: 'CommandLineTool', inputs: {}, outputs: {}, doc: 'd' } } },
    });
    expect(engineDocument({ ...app, cwlVersion: 'v1.0' }, 'name')).toMatchObject({ cwlVersion: 'v1.0' });
  });

  test('keeps what a tool calls description in its inputs', () => {
    const app = { class: 'CommandLineTool', inputs: { description: 'string' }, outputs: {} };
    expect(engineDocument(app, 'name')).toMatchObject({ inputs: { description: 'string' } });
  });

  test('tells the containers it needs and wishes, in lists and objects, in steps too', () => {
    const needs = { requirements: { DockerRequirement: { dockerPull: 'a' } } };
    const wishes = { hints: [{ class: 'DockerRequirement', dockerPull: 'b' }] };
    const app = { ...needs, steps: [{ run: wishes }, { run: needs }] };
    expect(containerImages(app, 'requirements')).toEqual(['a', 'a']);
    expect(containerImages(app, 'hints')).toEqual(['b']);
  });
});

describe('names of outputs', () => {
  test('are the tools’ own as far as they can be', () => {
    expect(outputFileName('a b#.txt')).toBe('a b#.txt');
    expect(outputFileName('x'.repeat(300))).toHaveLength(255);
    expect(outputFileName('')).toBe('_');
    expect(outputFolderName('__x__')).toBe('_x__');
    expect(outputFileName('__x')).toBe('__x');
  });

  test('of the folder for them are a path in the project', () => {
    expect(folderPathOf(undefined)).toEqual([]);
    expect(folderPathOf({ main_location: '/a/b/' })).toEqual(['a', 'b']);
    for (const bad of ['a/../b', 'volumes://o/v/x', '__a']) {
      expect(() => folderPathOf({ main_location: bad })).toThrow();
    }
  });
});

describe('metadata of outputs', () => {
  const files = (...all: object[]) => all.map((metadata) => ({ class: 'File', metadata }));

  test('keeps what can be kept', () => {
    expect(outputMetadata({ a: 'x', b: 7, c: null, d: {}, e: 'x'.repeat(301) })).toEqual({ a: 'x', b: '7' });
    expect(outputMetadata('text')).toEqual({});
  });

  test('is inherited as far as all files agree', () => {
    const app = {
      inputs: [],
      outputs: [
        { id: '#o', 'svc:inheritMetadataFrom': '#in', outputBinding: { 'svc:metadata': { b: 'own' } } },
      ],
    };
    const inputs = { in: files({ a: '1', b: '2', c: '3' }, { a: '1', b: '2', c: '4' }) };
    expect(declaredMetadata(app, inputs, 'o')).toEqual({ a: '1', b: 'own' });
    expect(declaredMetadata(app, {}, 'o')).toEqual({ b: 'own' });
    expect(declaredMetadata(app, inputs, 'other')).toEqual({});
  });
});

test('an instance type is found by its name, also with a disk behind', () => {
  const types = [
    { name: 'a', price: '1', interruptiblePrice: '1' },
    { name: 'b', price: '2', interruptiblePrice: '2' },
  ] as const;
  expect(instanceTypeFor(types, undefined).name).toBe('a');
  expect(instanceTypeFor(types, { instance_type: null }).name).toBe('a');
  expect(instanceTypeFor(types, { instance_type: 'b;ebs-gp2;1024' }).name).toBe('b');
  expect(() => instanceTypeFor(types, { instance_type: 'c' })).toThrow(
    'There is no instance type c here, but: a, b.',
  );
});

describe('the log of cwltool', () => {
  const line = (text: string) => `[2026-01-01 00:00:00] ${text}`;
  const read = (...lines: string[]): CwltoolLog => {
    const log = new CwltoolLog();
    for (const [at, each] of lines.entries()) log.read(each, at);
    return log;
  };

  test('tells jobs with their commands, which may have several lines', () => {
    const log = read(
      line('INFO [job a] /tmp/x$ cat \\'),
      "    'a b' \\",
      '    c > /tmp/x/out',
      'what the tool prints',
      line('INFO [job a] completed success'),
      line('INFO [job b] /tmp/y$ true'),
    );
    expect(log.progress.jobs).toEqual([
      { name: 'a', status: 'COMPLETED', startMs: 0, endMs: 4, commandLine: "cat 'a b' c > /tmp/x/out" },
      { name: 'b', status: 'RUNNING', startMs: 5, commandLine: 'true' },
    ]);
  });

  test('counts steps that are done', () => {
    const log = read(
      line('INFO [workflow ] start'),
      line('INFO [step one] start'),
      line('INFO [step one] completed success'),
      line('INFO [workflow ] completed success'),
    );
    expect(log.progress.stepsCompleted).toBe(1);
  });

  test('names the exit status before anything else as the reason of a failure', () => {
    const log = read(
      line('ERROR [job a] Job error:'),
      line('ERROR Workflow cannot make any more progress.'),
      line('WARNING [job a] exited with status: 3'),
    );
    expect(log.failure).toBe('The tool a ended with exit status 3.');
    expect(read(line('INFO fine')).failure).toBeUndefined();
  });

  test('is not moved by what tools print that looks like it, without the time', () => {
    expect(read('INFO [job a] completed success', 'ERROR no').failure).toBeUndefined();
  });
});

test('lines are put together from pieces, and cut when they are too long', () => {
  const lines: string[] = [];
  const splitter = new LineSplitter((each) => lines.push(each));
  for (const piece of ['a', 'b\ncé'.slice(0, 3), '\n', 'x'.repeat(100_000), '\n'])
    splitter.write(Buffer.from(piece));
  expect(lines.map((each) => each.slice(0, 3))).toEqual(['ab', 'c', 'xxx']);
  expect(lines[2]).toHaveLength(65_536);
});
