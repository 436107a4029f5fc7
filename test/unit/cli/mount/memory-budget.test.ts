import { expect, it } from 'vitest';
import { memoryBudget } from '../../../../src/cli/mount/memory-budget.ts';

const MIB = 1024 * 1024;
const budgetOf = (machineMib: number, groupsMib = Number.POSITIVE_INFINITY): number =>
  memoryBudget(32 * MIB, { machineBytes: machineMib * MIB, groupsBytes: groupsMib * MIB }) / MIB;

it('takes a quarter of what is available', () => expect(budgetOf(2048)).toBe(512));
it('takes no more than 1 GiB', () => expect(budgetOf(64 * 1024)).toBe(1024));
it('keeps to what a control group has left', () => expect(budgetOf(64 * 1024, 1024)).toBe(256));
it('takes what it needs at least', () => {
  expect(budgetOf(16)).toBe(32);
  expect(budgetOf(1024, 0)).toBe(32);
});
it('measures a machine with or without a limit', () => {
  expect(memoryBudget(32 * MIB)).toBeGreaterThanOrEqual(32 * MIB);
  expect(memoryBudget(32 * MIB)).toBeLessThanOrEqual(1024 * MIB);
});
