import { describe, expect, it } from 'vitest';
import { Mutex, runHolding } from '../../../src/lib/mutex.ts';

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('Mutex', () => {
  it('runs tasks one at a time in the order of asking', async () => {
    const mutex = new Mutex();
    const first = gate();
    const seen: string[] = [];
    const one = mutex.run(async () => {
      await first.opened;
      seen.push('one');
    });
    const two = mutex.run(async () => seen.push('two'));
    first.open();
    await Promise.all([one, two]);
    expect(seen).toEqual(['one', 'two']);
    expect(mutex.busy).toBe(false);
  });

  it('goes on after a task that failed', async () => {
    const mutex = new Mutex();
    await expect(mutex.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(mutex.run(async () => 1)).resolves.toBe(1);
  });

  it('gives up waiting when the signal fires, and keeps the order of the others', async () => {
    const mutex = new Mutex();
    const first = gate();
    const seen: string[] = [];
    const one = mutex.run(async () => {
      await first.opened;
      seen.push('one');
    });
    const abort = new AbortController();
    const two = mutex.run(async () => seen.push('two'), abort.signal);
    const three = mutex.run(async () => seen.push('three'));
    abort.abort(new Error('interrupted'));
    await expect(two).rejects.toThrow('interrupted');
    expect(seen).toEqual([]);
    first.open();
    await Promise.all([one, three]);
    expect(seen).toEqual(['one', 'three']);
  });

  it('runs nothing for a signal that has fired, free as it is', async () => {
    const mutex = new Mutex();
    const seen: string[] = [];
    const run = mutex.run(async () => seen.push('one'), AbortSignal.abort(new Error('interrupted')));
    await expect(run).rejects.toThrow('interrupted');
    expect([seen, mutex.busy]).toEqual([[], false]);
  });

  it('holds several at once', async () => {
    const [a, b] = [new Mutex(), new Mutex()];
    const entered = gate();
    const leave = gate();
    const both = runHolding([a, b], () => {
      entered.open();
      return leave.opened;
    });
    await entered.opened;
    const seen: string[] = [];
    const after = Promise.all([a.run(async () => seen.push('a')), b.run(async () => seen.push('b'))]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([]);
    leave.open();
    await Promise.all([both, after]);
    expect(seen.sort()).toEqual(['a', 'b']);
  });
});
