/** Deletions that a person is to confirm: `--confirm-delete`. */
import { describe, expect, it } from 'vitest';
import { forRequester } from '../../../../src/lib/requester.ts';
import { Deletions } from '../../../../src/vfs/model/deletions.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

/** Threads 10 to 19 are of group 1, threads 20 to 29 of group 2. */
const jobOf = (thread: number) =>
  thread < 10 ? undefined : { process: thread, group: Math.floor(thread / 10) };

function start(limit: number | undefined) {
  const clock = new FakeClock();
  const deletions = new Deletions({ limit, clock, jobOf });
  const remove = (thread: number, path = '/projects/me/p/f'): void => {
    const requester = { thread, operation: 'unlink', path: () => path, hasLeft: () => false };
    forRequester(requester, () => deletions.require('f', path));
  };
  const times = (count: number, thread: number): void => {
    for (let done = 0; done < count; done += 1) remove(thread);
  };
  return { clock, deletions, remove, times };
}

const refused = /more than 3 entries within a minute \(--confirm-delete 3\)/;

describe('deletions that are to be confirmed', () => {
  it('are as many as a program wants without the option', () => {
    const { times } = start(undefined);
    expect(() => times(1000, 11)).not.toThrow();
  });

  it('are refused from the one after the last, and the process and the command are named', () => {
    const { remove, times } = start(3);
    times(3, 11);
    expect(() => remove(11)).toThrow(refused);
    expect(() => remove(12)).toThrow(/process 12 .*svcfs allow PATH.*svcfs allow --pid 12 /);
  });

  it('are counted for each process group', () => {
    const { remove, times } = start(3);
    times(3, 11);
    expect(() => times(3, 21)).not.toThrow();
    expect(() => remove(22)).toThrow(refused);
  });

  it('of processes that cannot be told are counted together', () => {
    const { times, remove } = start(3);
    times(3, 0);
    expect(() => remove(5)).toThrow(/^f stays: one program tried/);
  });

  it('count for a minute', async () => {
    const { clock, remove, times } = start(3);
    times(3, 11);
    await clock.advance(59_999);
    expect(() => remove(11)).toThrow(refused);
    await clock.advance(60_000);
    expect(() => times(3, 11)).not.toThrow();
  });

  it('stay refused while the program goes on trying', async () => {
    const { clock, remove, times } = start(3);
    times(3, 11);
    for (let minute = 0; minute < 5; minute += 1) {
      for (let tried = 0; tried < 4; tried += 1) {
        await clock.advance(14_000);
        expect(() => remove(11)).toThrow(refused);
      }
    }
  });

  it('are allowed at a path and below it, and nowhere else', () => {
    const { deletions, remove } = start(0);
    deletions.allow({ path: '/projects/me/p' }, 600_000);
    expect(() => remove(11, '/projects/me/p')).not.toThrow();
    expect(() => remove(11, '/projects/me/p/a/b')).not.toThrow();
    expect(() => remove(11, '/projects/me/p2/a')).toThrow(/--confirm-delete 0/);
  });

  it('are allowed everywhere from the top of the mount', () => {
    const { deletions, remove } = start(0);
    deletions.allow({ path: '/' }, 600_000);
    expect(() => remove(11)).not.toThrow();
  });

  it('are allowed to a process and its group, and to no other', () => {
    const { deletions, remove } = start(0);
    deletions.allow({ pid: 11 }, 600_000);
    expect(() => remove(12)).not.toThrow();
    expect(() => remove(21)).toThrow();
    expect(() => deletions.allow({ pid: 3 }, 600_000)).toThrow('there is no process 3');
  });

  it('are allowed for a time', async () => {
    const { clock, deletions, remove } = start(0);
    deletions.allow({ path: '/' }, 1000);
    await clock.advance(999);
    expect(() => remove(11)).not.toThrow();
    await clock.advance(1);
    expect(() => remove(11)).toThrow();
  });

  it('cannot be allowed where they are not counted', () => {
    expect(() => start(undefined).deletions.allow({ path: '/' }, 1)).toThrow('without --confirm-delete');
  });
});
