import { expect, it } from 'vitest';
import { ProgramSpending } from '../../../../src/cli/mount/program-spending.ts';
import { forRequester } from '../../../../src/lib/requester.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

/** Threads 11 and 12 are of process 10. */
function spending() {
  const clock = new FakeClock();
  const programs = new ProgramSpending(clock, (thread) =>
    thread === 99 ? undefined : { process: Math.floor(thread / 10) * 10, command: `program-${thread}` },
  );
  const spend = (thread: number, cost?: { requests: number }): void => {
    const requester = { thread, operation: 'read', path: () => '/', hasLeft: () => false, cost };
    forRequester(requester, programs.onExchange);
  };
  return { clock, programs, spend };
}

it('counts requests for the program that they are made for, over its threads', () => {
  const { programs, spend } = spending();
  const cost = { requests: 0 };
  spend(20);
  for (const thread of [11, 12]) spend(thread, cost);
  programs.onExchange();
  spend(0);
  spend(99);
  expect(cost.requests).toBe(2);
  expect(programs.snapshot()).toEqual([
    { process: 10, command: 'program-12', requests: 2, recent: 2 },
    { process: 0, command: 'svcfs', requests: 2, recent: 2 },
    { process: 20, command: 'program-20', requests: 1, recent: 1 },
    { process: 99, command: '?', requests: 1, recent: 1 },
  ]);
});

it('tells apart what was spent of late', async () => {
  const { clock, programs, spend } = spending();
  for (let times = 0; times < 3; times++) spend(10);
  await clock.advance(6 * 60_000);
  spend(20);
  expect(programs.snapshot()).toMatchObject([
    { process: 20, requests: 1, recent: 1 },
    { process: 10, requests: 3, recent: 0 },
  ]);
});

it('forgets programs that asked long ago when there are too many', () => {
  const { programs, spend } = spending();
  for (let process = 1; process <= 300; process++) spend(process * 10);
  expect(programs.snapshot()).toHaveLength(200);
  expect(programs.snapshot().map(({ process }) => process)).not.toContain(1000);
});
