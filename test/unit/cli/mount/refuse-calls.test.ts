import { expect, it } from 'vitest';
import type { PlatformCall } from '../../../../src/cli/calls/calls.ts';
import { refusalOfCall, type WhatMayChange } from '../../../../src/cli/mount/refuse-calls.ts';

const ANY: WhatMayChange = { readOnly: false, deletes: true, overwrites: true, keepsTrash: false };
const DELETIONS: readonly PlatformCall[] = [
  { name: 'files.delete', args: ['id'] },
  { name: 'files.bulkDelete', args: [['id']] },
  { name: 'asyncFiles.start', args: ['delete', [{ file: 'id' }]] },
];
const REPLACING: readonly PlatformCall[] = [
  { name: 'transfers.startImports', args: [[{ overwrite: false }, { overwrite: true }]] },
  { name: 'transfers.startExports', args: [[{ overwrite: true }], true] },
  { name: 'uploads.inline', args: [{ overwrite: true }, Buffer.from('x')] },
];
const MOVE: PlatformCall = { name: 'files.move', args: ['id', { parent: 'p', name: 'n' }] };
const COPY: PlatformCall = { name: 'asyncFiles.start', args: ['copy', []] };

it('a mount makes every call unless its options say otherwise', () => {
  for (const call of [...DELETIONS, ...REPLACING, MOVE]) expect(refusalOfCall(call, {}, ANY)).toBeUndefined();
});

it('--no-delete refuses what removes', () => {
  for (const call of DELETIONS)
    expect(refusalOfCall(call, {}, { ...ANY, deletes: false })).toContain('--no-delete');
  expect(refusalOfCall(COPY, {}, { ...ANY, deletes: false })).toBeUndefined();
});

it('--no-overwrite refuses what replaces', () => {
  const how = { ...ANY, overwrites: false };
  for (const call of REPLACING) expect(refusalOfCall(call, {}, how)).toContain('--no-overwrite');
  expect(refusalOfCall(MOVE, { overwrite: true }, how)).toContain('--no-overwrite');
  expect(refusalOfCall(MOVE, {}, how)).toBeUndefined();
});

it('--trash refuses what would delete for good', () => {
  const how = { ...ANY, keepsTrash: true };
  for (const call of [...DELETIONS, ...REPLACING]) expect(refusalOfCall(call, {}, how)).toContain('--trash');
  expect(refusalOfCall(MOVE, {}, how)).toBeUndefined();
});

it('--read-only refuses what changes, and lets look', () => {
  const how = { ...ANY, readOnly: true };
  expect(refusalOfCall(COPY, {}, how)).toContain('--read-only');
  expect(
    refusalOfCall({ name: 'files.list', args: ['id', { offset: 0, limit: 100 }] }, {}, how),
  ).toBeUndefined();
});
