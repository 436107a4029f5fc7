import { expect, it } from 'vitest';
import { BoundedEvents } from '../../../../../src/cli/mount/trace/bounded-events.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

const TOO_MUCH = 2 * 1024 * 1024;

/** Events for a reader of whom so many bytes wait. */
function reader() {
  const clock = new FakeClock();
  const told: unknown[] = [];
  const state = { waiting: 0 };
  const tell = (what: unknown): number => {
    told.push(what);
    return state.waiting;
  };
  const events = new BoundedEvents<number>({ clock, tell, tellDropped: (count) => tell({ count }) });
  return { clock, told, state, events };
}

it('events pass while the reader keeps up', () => {
  const { events, told } = reader();
  for (const each of [1, 2, 3]) events.add(each);
  events.close();
  expect(told).toEqual([1, 2, 3]);
});

it('a reader that is too slow loses events, is told how many, and gets those that come once it has caught up', async () => {
  const { clock, events, told, state } = reader();
  state.waiting = TOO_MUCH;
  for (const each of [1, 2, 3]) events.add(each);
  expect(told).toEqual([1]);
  await clock.advance(1000);
  events.add(4);
  state.waiting = 0;
  await clock.advance(1000);
  events.add(5);
  expect(told).toEqual([1, { count: 2 }, { count: 1 }, 5]);
  expect(clock.sleeping).toBe(0);
});

it('what was dropped last is told at the end', () => {
  const { clock, events, told, state } = reader();
  state.waiting = TOO_MUCH;
  for (const each of [1, 2]) events.add(each);
  events.close();
  expect(told).toEqual([1, { count: 1 }]);
  expect(clock.sleeping).toBe(0);
});
