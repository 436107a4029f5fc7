import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOf, decimalOf, microsOf } from '../../../../src/lib/decimal.ts';
import { portsOf } from '../../../../src/service/apps/app-ports.ts';
import { batchParts } from '../../../../src/service/tasks/batch-plan.ts';
import { completeValues, filesAmong, missingInputs } from '../../../../src/service/tasks/task-values.ts';
import { timeSpan } from '../../../../src/service/tasks/time-span.ts';

describe('ports of an app', () => {
  test.each([
    ['a list', [{ id: 'a', type: 'File' }]],
    ['a list with the ids of drafts', [{ id: '#a', type: ['File'] }]],
    ['a list of a packed document', [{ id: '#main/a', type: 'File' }]],
    ['an object', { a: { type: 'File' } }],
    ['an object of types', { a: 'File' }],
    ['an object of types with structure', { a: { type: 'enum', symbols: ['x'] } }],
  ])('are read from %s', (_form, inputs) => {
    expect(portsOf({ inputs }, 'inputs')).toMatchObject([{ name: 'a', required: true, takesList: false }]);
  });

  test.each([
    ['File?', undefined],
    [['null', 'File'], undefined],
    [['File', { type: 'array', items: 'File' }, 'null'], undefined],
    ['File[]?', undefined],
    ['int', 3],
    ['boolean', false],
  ])('are not required as %j with the default %j', (type, standard) => {
    const port = standard === undefined ? { type } : { type, default: standard };
    expect(portsOf({ inputs: { a: port } }, 'inputs')).toMatchObject([{ required: false }]);
  });

  test.each([
    'File[]',
    'File[]?',
    { type: 'array', items: 'File' },
    ['null', { type: 'array', items: 'int' }],
  ])('take a list as %j', (type) => {
    expect(portsOf({ inputs: [{ id: 'a', type }] }, 'inputs')).toMatchObject([{ takesList: true }]);
    expect(portsOf({ inputs: { a: type } }, 'inputs')).toMatchObject([{ takesList: true }]);
  });
});

describe('values of a task', () => {
  const ports = portsOf({ inputs: { constructor: 'File', b: 'int?' } }, 'inputs');

  test('are complete, whatever the author calls the inputs', () => {
    expect(completeValues(ports, {})).toEqual({ constructor: null, b: null });
    expect(missingInputs(ports, {})).toEqual([expect.stringContaining('constructor')]);
    expect(() => completeValues(ports, { c: 1 })).toThrow(expect.objectContaining({ code: 7012 }));
  });

  test('hold files at any depth, but not at every depth', () => {
    const file = { class: 'File', path: 'f' };
    expect(filesAmong({ a: [{ b: file }], c: file })).toEqual([file, file]);
    let deep: unknown = file;
    for (let i = 0; i < 1000; i += 1) deep = [deep];
    expect(() => filesAmong(deep)).toThrow(expect.objectContaining({ code: 7012 }));
  });
});

test('a criterion that a file has not is a group of its own, also when every object has it', () => {
  const item = (name: string, metadata: Record<string, string>) => ({ value: name, name, metadata });
  const items = [item('a', {}), item('b', { constructor: 'x' }), item('c', {})];
  const parts = batchParts(items, { type: 'CRITERIA', criteria: ['metadata.constructor'] });
  expect(parts.map(({ group, items: own }) => [group.value, own.length])).toEqual([
    ['UNDEFINED', 2],
    ['x', 1],
  ]);
});

describe('amounts', () => {
  test.each([
    ['0', 0, '0.00'],
    ['0.1', 100_000, '0.10'],
    ['12.345', 12_345_000, '12.345'],
    ['0.000001', 1, '0.000001'],
    ['999999999.999999', 999_999_999_999_999, '999999999.999999'],
  ])('are exact: %s', (text, micros, written) => {
    expect(microsOf(text)).toBe(micros);
    expect(decimalOf(micros)).toBe(written);
  });

  test('are read as they are written', () => {
    fc.assert(
      fc.property(fc.nat(), (micros) => {
        expect(microsOf(decimalOf(micros))).toBe(micros);
      }),
    );
  });

  test.each(['', '-1', '1.0000001', '1e3', '.5'])('are no other text: %j', (text) => {
    expect(() => microsOf(text)).toThrow(RangeError);
  });

  test.each([
    ['0.10', 3_600_000, 100_000],
    ['0.10', 2_035, 57],
    ['0.10', 17, 0],
    ['0.10', 18, 1],
    ['1', -5, 0],
  ])('of %s for an hour: %i ms cost %i millionths', (price, ms, micros) => {
    expect(costOf(microsOf(price), ms)).toBe(micros);
  });
});

describe('spans of time', () => {
  test('include their ends, as long as these are written', () => {
    expect(timeSpan('2026-01-02', '2026-01-02')).toEqual({
      from: '2026-01-02T00:00:00.000Z',
      to: '2026-01-02T23:59:59.999Z',
    });
    expect(timeSpan(undefined, '2026-01-02T03:04:05Z').to).toBe('2026-01-02T03:04:05.999Z');
    expect(timeSpan(undefined, '2026-01-02T03:04:05.6Z').to).toBe('2026-01-02T03:04:05.600Z');
  });

  test('are in UTC unless a zone is named', () => {
    expect(timeSpan('2026-01-02T03:04:05', undefined).from).toBe('2026-01-02T03:04:05.000Z');
    expect(timeSpan('2026-01-02T03:04:05+02:00', undefined).from).toBe('2026-01-02T01:04:05.000Z');
  });

  test.each(['yesterday', '2026-13-01', '2026-01-01T25:00:00Z', '1', ''])('are not made of %j', (text) => {
    expect(() => timeSpan(text, undefined)).toThrow(expect.objectContaining({ code: 90000 }));
  });
});
