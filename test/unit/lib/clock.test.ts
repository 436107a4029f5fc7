import { expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';

it('sleeps longer than a timer can', async () => {
  const over = new AbortController();
  const long = systemClock.sleep(2 ** 40, over.signal).then(
    () => 'awake',
    () => 'interrupted',
  );
  const first = await Promise.race([long, systemClock.sleep(20).then(() => 'still asleep')]);
  expect(first).toBe('still asleep');
  over.abort();
  expect(await long).toBe('interrupted');
});
