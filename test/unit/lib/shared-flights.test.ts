import { describe, expect, it } from 'vitest';

import { deferred } from '../../../src/lib/deferred.ts';
import { SharedFlights } from '../../../src/lib/shared-flights.ts';

const NEVER = new AbortController().signal;

it('work for one key is begun once, and all who ask get its answer', async () => {
  const flights = new SharedFlights<string, number>();
  const work = deferred<number>();
  let begun = 0;
  const start = (): Promise<number> => {
    begun++;
    return work.promise;
  };
  const both = Promise.all([flights.join('a', NEVER, start), flights.join('a', NEVER, start)]);
  expect(flights.isUnderWay('a')).toBe(true);
  work.resolve(7);
  expect(await both).toEqual([7, 7]);
  expect(begun).toBe(1);
  expect(flights.isUnderWay('a')).toBe(false);
});

it('one that gives up leaves the others alone; when all do, the work is aborted', async () => {
  const flights = new SharedFlights<string, void>();
  const aborted = deferred();
  const start = (signal: AbortSignal): Promise<void> => {
    signal.addEventListener('abort', () => aborted.resolve());
    return new Promise(() => undefined);
  };
  const [first, second] = [new AbortController(), new AbortController()];
  const joined = [first, second].map(({ signal }) => flights.join('a', signal, start));
  first.abort(new Error('first'));
  await expect(joined[0]).rejects.toThrow('first');
  expect(flights.isUnderWay('a')).toBe(true);
  second.abort(new Error('second'));
  await expect(joined[1]).rejects.toThrow('second');
  await aborted.promise;
  expect(flights.isUnderWay('a')).toBe(false);
});

it('a failure is told to all who wait, and forgotten', async () => {
  const flights = new SharedFlights<string, number>();
  const failing = async (): Promise<number> => {
    throw new Error('no');
  };
  const both = await Promise.allSettled([
    flights.join('a', NEVER, failing),
    flights.join('a', NEVER, failing),
  ]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flights.join('a', NEVER, async () => 1)).toBe(1);
});

it('a caller whose signal has fired already begins nothing', async () => {
  const flights = new SharedFlights<string, number>();
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(flights.join('a', gone, () => expect.unreachable())).rejects.toThrow('gone');
});

describe('work that fails because its time is over', () => {
  const timeOver = new Error('time over');
  const endsWithTime = (error: unknown): boolean => error === timeOver;

  it('is begun anew, once, by those who joined it, and fails who began it', async () => {
    const flights = new SharedFlights<string, number>({ endsWithTime });
    const first = deferred<number>();
    const begun = flights.join('a', NEVER, () => first.promise);
    let again = 0;
    const anew = async (): Promise<number> => ++again;
    const joined = [flights.join('a', NEVER, anew), flights.join('a', NEVER, anew)];
    first.reject(timeOver);
    await expect(begun).rejects.toBe(timeOver);
    expect(await Promise.all(joined)).toEqual([1, 1]);
  });

  it('fails who joined it when it fails in their own time as well', async () => {
    const flights = new SharedFlights<string, number>({ endsWithTime });
    const first = deferred<number>();
    const begun = flights.join('a', NEVER, () => first.promise);
    const joined = flights.join('a', NEVER, () => Promise.reject(timeOver));
    first.reject(timeOver);
    expect((await Promise.allSettled([begun, joined])).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
  });
});
