import { afterEach, describe, expect, it } from 'vitest';

import { JobWatch, type Watched } from '../../../src/jobs/job-watch.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const open: JobWatch<string>[] = [];
afterEach(() => {
  for (const watch of open.splice(0)) {
    watch.close();
  }
});

/** Jobs whose states a test sets, watched by the clock of the test. */
function watching(options: { groupSize?: number; holdBack?: boolean } = {}) {
  const clock = new FakeClock();
  const states = new Map<string, string>();
  const questions: { atMs: number; ids: readonly string[]; held: boolean }[] = [];
  const startMs = clock.now();
  const rig = { failure: undefined as Error | undefined, failing: 'all', changed: () => {} };

  const look = (id: string): Watched<string> => {
    const state = states.get(id) ?? 'PENDING';
    return { job: `${id}:${state}`, state, isOver: state === 'DONE' };
  };
  const watch = new JobWatch<string>(
    {
      groupSize: options.groupSize ?? 100,
      canHoldBack: async () => options.holdBack ?? false,
      onAnswer: () => {},
      ask: async (ids, { waitSeconds, signal }) => {
        questions.push({ atMs: clock.now() - startMs, ids, held: waitSeconds !== undefined });
        if (rig.failure && (rig.failing === 'all' || ids.includes(rig.failing))) throw rig.failure;
        if (waitSeconds !== undefined) {
          const change = new AbortController();
          rig.changed = () => change.abort();
          const either = AbortSignal.any([change.signal, ...(signal ? [signal] : [])]);
          await clock.sleep(waitSeconds * 1000, either).catch(() => signal?.throwIfAborted());
        }
        return ids.map(look);
      },
    },
    clock,
  );
  open.push(watch);
  return { clock, watch, states, questions, rig };
}

describe('watching jobs', () => {
  it('who begins to wait when the watching has ended is told so', async () => {
    const { watch } = watching();
    watch.close();
    watch.add(['a']);
    await expect(watch.wait('a')).rejects.toThrow('the watching ended');
  });

  it('asks about all of them together, two seconds apart or more', async () => {
    const { clock, watch, states, questions } = watching();
    watch.add(['a', 'b', 'c']);
    const all = Promise.all(['a', 'b', 'c'].map((id) => watch.wait(id)));
    await clock.advance(7_000);
    states.set('a', 'DONE').set('b', 'DONE').set('c', 'DONE');
    await clock.advance(20_000);
    expect(await all).toEqual(['a:DONE', 'b:DONE', 'c:DONE']);
    expect(questions.every(({ ids }) => ids.length === 3)).toBe(true);
    const gaps = questions.map(({ atMs }, index) => atMs - (questions[index - 1]?.atMs ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2000);
  });

  it('asks in groups of the size that one question can have', async () => {
    const { clock, watch, states, questions } = watching({ groupSize: 100 });
    const ids = Array.from({ length: 250 }, (_, index) => `j${index}`);
    for (const id of ids) states.set(id, 'DONE');
    watch.add(ids);
    const all = Promise.all(ids.map((id) => watch.wait(id)));
    await clock.advance(2_000);
    await all;
    expect(questions.map(({ ids: asked }) => asked.length)).toEqual([100, 100, 50]);
  });

  it('stops asking when every job is over', async () => {
    const { clock, watch, states, questions } = watching();
    states.set('a', 'DONE');
    watch.add(['a']);
    await clock.advance(60_000);
    expect(questions).toHaveLength(1);
    expect(watch.isWatching('a')).toBe(false);
  });

  it('asks more seldom the longer nothing changes', async () => {
    const { clock, watch, questions } = watching();
    watch.add(['a']);
    await clock.advance(120_000);
    expect(questions.length).toBeLessThan(20);
    expect(questions.length).toBeGreaterThan(10);
  });

  it('asks about a new job soon, however seldom it asked about the old ones', async () => {
    const { clock, watch, states } = watching();
    watch.add(['old']);
    await clock.advance(120_000);
    states.set('new', 'DONE');
    watch.add(['new']);
    const waiting = watch.wait('new');
    let over = false;
    void waiting.then(() => {
      over = true;
    });
    await clock.advance(2_000);
    expect(over).toBe(true);
  });

  it('goes on after a waiter was aborted', async () => {
    const { clock, watch, states } = watching();
    watch.add(['a']);
    const controller = new AbortController();
    const waiting = watch.wait('a', controller.signal);
    const outcome = expect(waiting).rejects.toThrow('interrupted');
    controller.abort(new Error('interrupted'));
    await outcome;
    const again = watch.wait('a');
    states.set('a', 'DONE');
    await clock.advance(10_000);
    expect(await again).toBe('a:DONE');
  });

  it('tells those who wait that asking failed, and goes on watching', async () => {
    const { clock, watch, states, rig } = watching();
    watch.add(['a']);
    rig.failure = new Error('service away');
    const waiting = expect(watch.wait('a')).rejects.toThrow('service away');
    await clock.advance(3_000);
    await waiting;
    rig.failure = undefined;
    states.set('a', 'DONE');
    const again = watch.wait('a');
    await clock.advance(30_000);
    expect(await again).toBe('a:DONE');
  });

  it('tells it to nobody who waits for another job, which was asked about by itself', async () => {
    const { clock, watch, states, rig } = watching({ groupSize: 1 });
    rig.failure = new Error('not about this one');
    rig.failing = 'a';
    watch.add(['a', 'b']);
    const failing = expect(watch.wait('a')).rejects.toThrow('not about this one');
    const waiting = watch.wait('b').catch(({ message }: Error) => message);
    await clock.advance(3_000);
    await failing;
    states.set('b', 'DONE');
    await clock.advance(30_000);
    expect(await waiting).toBe('b:DONE');
  });
});

describe('watching jobs of a service that holds its answer back', () => {
  it('loses no time', async () => {
    const { clock, watch, states, rig, questions } = watching({ holdBack: true });
    watch.add(['a']);
    const waiting = watch.wait('a');
    await clock.advance(700);
    states.set('a', 'DONE');
    rig.changed();
    expect(await waiting).toBe('a:DONE');
    expect(questions).toEqual([{ atMs: 0, ids: ['a'], held: true }]);
  });

  it('asks anew when a job is added meanwhile', async () => {
    const { clock, watch, states, rig, questions } = watching({ holdBack: true });
    watch.add(['a']);
    await clock.advance(100);
    watch.add(['b']);
    const waiting = watch.wait('b');
    await clock.advance(100);
    expect(questions.at(-1)?.ids).toEqual(['a', 'b']);
    states.set('b', 'DONE');
    rig.changed();
    expect(await waiting).toBe('b:DONE');
  });

  it('gathers the ends of many jobs in few answers', async () => {
    const { clock, watch, states, rig, questions } = watching({ holdBack: true });
    const ids = Array.from({ length: 100 }, (_, index) => `j${index}`);
    watch.add(ids);
    const all = Promise.all(ids.map((id) => watch.wait(id)));
    for (const id of ids) {
      await clock.advance(50);
      states.set(id, 'DONE');
      rig.changed();
    }
    await clock.advance(5_000);
    rig.changed();
    await all;
    expect(questions.length).toBeLessThan(12);
  });

  it('does not ask without pause when the answer is not held back after all', async () => {
    const { clock, watch, rig, questions } = watching({ holdBack: true });
    watch.add(['a']);
    for (let round = 0; round < 1000; round += 1) {
      rig.changed();
      await clock.advance(1);
    }
    expect(questions.length).toBeLessThan(6);
  });
});
