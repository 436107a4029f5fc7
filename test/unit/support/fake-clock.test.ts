import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../support/fake-clock.ts';

describe('the fake clock', () => {
  it('wakes sleepers in the order of their time, those included that begin on the way', async () => {
    const clock = new FakeClock(0);
    const woken: string[] = [];
    const sleep = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms);
      woken.push(`${name}@${clock.now()}`);
    };
    void sleep('late', 30);
    void sleep('first', 10).then(() => sleep('chained', 15));
    await clock.advance(29);
    expect(woken).toEqual(['first@10', 'chained@25']);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    expect(woken).toEqual(['first@10', 'chained@25', 'late@30']);
  });

  it('rejects an aborted sleep with the reason of its signal', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const slept = clock.sleep(1000, abort.signal);
    abort.abort(new Error('no more'));
    await expect(slept).rejects.toThrow('no more');
    await expect(clock.sleep(1, abort.signal)).rejects.toThrow('no more');
    expect(clock.sleeping).toBe(0);
  });
});
