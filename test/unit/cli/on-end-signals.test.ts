import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { onEndSignals } from '../../../src/cli/on-end-signals.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let asked: number;
beforeEach(() => {
  const before = SIGNALS.map((signal) => process.listeners(signal));
  onTestFinished(() => {
    for (const [index, signal] of SIGNALS.entries()) {
      for (const each of process.listeners(signal))
        if (!before[index]?.includes(each)) process.off(signal, each);
    }
  });
  asked = 0;
  onEndSignals(() => {
    asked += 1;
  });
});

describe('signals that ask a command to end', () => {
  // Linux delivers the lower number first when both wait for a process that is not running just then.
  it.each([
    [['SIGTERM', 'SIGHUP'], 1],
    [['SIGHUP', 'SIGTERM'], 1],
    [['SIGHUP', 'SIGTERM', 'SIGTERM'], 2],
    [['SIGHUP', 'SIGINT'], 2],
    [['SIGTERM', 'SIGTERM'], 2],
    [['SIGINT', 'SIGINT'], 2],
  ] as const)('%j ask as often as they were meant: %i', (signals, times) => {
    for (const signal of signals) process.emit(signal, signal);
    expect(asked).toBe(times);
  });
});
