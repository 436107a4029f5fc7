import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { hasStoppingSignal, wantsToStop } from '../../../src/fuse/wants-to-stop.ts';

const { SIGINT, SIGKILL, SIGCHLD, SIGWINCH, SIGTSTP, SIGALRM } = constants.signals;

function status(pending: { thread?: number[]; process?: number[]; blocked?: number[] }): string {
  const set = (signals: number[] = []): string =>
    signals
      .reduce((bits, signal) => bits | (1n << BigInt(signal - 1)), 0n)
      .toString(16)
      .padStart(16, '0');
  return [
    'Name:\tcat',
    `SigPnd:\t${set(pending.thread)}`,
    `ShdPnd:\t${set(pending.process)}`,
    `SigBlk:\t${set(pending.blocked)}`,
    '',
  ].join('\n');
}

describe('an interrupted thread', () => {
  it('is to stop for Ctrl-C, and for whatever has killed its process', () => {
    expect(hasStoppingSignal(status({ process: [SIGINT] }))).toBe(true);
    expect(hasStoppingSignal(status({ thread: [SIGKILL], process: [SIGCHLD] }))).toBe(true);
  });

  it.each([SIGCHLD, SIGWINCH, SIGTSTP, SIGALRM])('goes on for signal %i', (signal) => {
    expect(hasStoppingSignal(status({ process: [signal], thread: [signal] }))).toBe(false);
  });

  it('goes on when the signal is blocked', () => {
    expect(hasStoppingSignal(status({ process: [SIGINT], blocked: [SIGINT] }))).toBe(false);
  });

  it('is to stop when it cannot be seen', () => {
    expect(wantsToStop(0)).toBe(true);
    expect(wantsToStop(process.pid)).toBe(false);
  });
});
