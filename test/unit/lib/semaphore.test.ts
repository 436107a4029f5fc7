import { expect, it } from 'vitest';
import { Semaphore } from '../../../src/lib/semaphore.ts';
import { Gate } from '../../support/gate.ts';

const { signal } = new AbortController();

it('has so many at a time, in the order of asking, also after one that failed or gave up', async () => {
  const semaphore = new Semaphore(2);
  const gates = [new Gate(), new Gate(), new Gate(), new Gate()];
  const begun: number[] = [];
  const task = (number: number) => async (): Promise<void> => {
    begun.push(number);
    await gates[number]?.opened;
    if (number === 0) throw new Error('failed');
  };
  const leaving = new AbortController();
  const runs = [0, 1].map((number) => semaphore.run(task(number), signal));
  const left = semaphore.run(task(9), leaving.signal);
  runs.push(...[2, 3].map((number) => semaphore.run(task(number), signal)));
  leaving.abort(new Error('gave up'));
  await expect(left).rejects.toThrow('gave up');
  expect(begun).toEqual([0, 1]);
  gates[0]?.open();
  await expect(runs[0]).rejects.toThrow('failed');
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  for (const gate of gates) gate.open();
  await Promise.all(runs.slice(1));
  expect(begun).toEqual([0, 1, 2, 3]);
});
