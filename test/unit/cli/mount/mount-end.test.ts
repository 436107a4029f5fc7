import { describe, expect, it } from 'vitest';
import { MountEnd } from '../../../../src/cli/mount/mount-end.ts';
import type { RunningMount } from '../../../../src/cli/mount/running-mount.ts';
import type { Logger } from '../../../../src/observe/logger.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const silent: Logger = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** A mount of which the test decides what is pending and who uses it. */
class ScriptedMount implements RunningMount {
  readonly events: string[] = [];
  /** Why it cannot be unmounted. */
  kept: 'busy' | 'held' | undefined;
  left: readonly string[] = [];
  /** The program that unmounts ends when this does. */
  unmounting: Promise<void> = Promise.resolve();
  #pending: string[];
  #finish: () => void = () => {};
  #close: () => void = () => {};
  readonly closed = new Promise<void>((resolve) => {
    this.#close = resolve;
  });

  constructor(pending: readonly string[]) {
    this.#pending = [...pending];
  }

  pending = (): readonly string[] => this.#pending;

  async idle(signal: AbortSignal): ReturnType<RunningMount['idle']> {
    signal.throwIfAborted();
    if (this.#pending.length === 0) return { waiting: [], refused: [] };
    return new Promise((resolve, reject) => {
      this.#finish = () => resolve({ waiting: this.left, refused: [] });
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  }

  finishUploads(): void {
    this.events.push('uploaded');
    this.#pending = [];
    this.#finish();
  }

  async unmount(): ReturnType<RunningMount['unmount']> {
    if (this.kept !== undefined) return this.kept;
    this.events.push('unmounted');
    this.#close();
    await this.unmounting;
    return 'unmounted';
  }

  detachNow(): void {
    this.events.push('detached');
    this.#close();
  }

  async close(): Promise<void> {
    this.events.push('closed');
  }
}

const never = new AbortController().signal;

describe('unmount', () => {
  it('waits for what is unfinished and says for what', async () => {
    const mount = new ScriptedMount(['projects/ada/rna/a.bam']);
    const end = new MountEnd(mount, silent);
    const waiting: (readonly string[])[] = [];
    const done = end.unmount((pending) => waiting.push(pending), never);
    await waitUntil(() => waiting.length > 0);
    expect(waiting[0]).toEqual(['projects/ada/rna/a.bam']);
    mount.finishUploads();
    expect(await done).toEqual({ answer: 'unmounted', left: [], refused: [] });
    await end.ended;
    expect(mount.events).toEqual(['uploaded', 'unmounted', 'closed']);
  });

  it('answers what it waited for in vain', async () => {
    const mount = new ScriptedMount(['a', 'b']);
    mount.left = ['b'];
    const end = new MountEnd(mount, silent);
    const done = end.unmount(() => {}, never);
    mount.finishUploads();
    expect(await done).toEqual({ answer: 'unmounted', left: ['b'], refused: [] });
    await end.ended;
  });

  it('is answered before the end, though the program that unmounts ends later than the mount', async () => {
    const mount = new ScriptedMount([]);
    let endProgram = (): void => {};
    mount.unmounting = new Promise((resolve) => {
      endProgram = resolve;
    });
    const end = new MountEnd(mount, silent);
    const order: string[] = [];
    const ended = end.ended.then(() => order.push('ended'));
    const done = end.unmount(() => {}, never).then(() => order.push('answered'));
    await mount.closed;
    await new Promise(setImmediate);
    expect(order).toEqual([]);
    endProgram();
    await Promise.all([ended, done]);
    expect(order).toEqual(['answered', 'ended']);
  });

  it('leaves a mount in use as it is', async () => {
    const mount = new ScriptedMount([]);
    mount.kept = 'busy';
    expect(await new MountEnd(mount, silent).unmount(() => {}, never)).toEqual({ answer: 'busy' });
    expect(mount.events).toEqual([]);
  });

  it('tells who serves a mount that another mount namespace has', async () => {
    const mount = new ScriptedMount([]);
    mount.kept = 'held';
    const held = { answer: 'held', daemon: process.pid };
    expect(await new MountEnd(mount, silent).unmount(() => {}, never)).toEqual(held);
    expect(mount.events).toEqual([]);
  });

  it('leaves the mount as it is when the asker goes away', async () => {
    const mount = new ScriptedMount(['a']);
    const asker = new AbortController();
    const done = new MountEnd(mount, silent).unmount(() => {}, asker.signal);
    asker.abort(new Error('gone'));
    await expect(done).rejects.toThrow('gone');
    expect(mount.events).toEqual([]);
  });
});

describe('a signal', () => {
  it('finishes, then unmounts', async () => {
    const mount = new ScriptedMount(['a']);
    const end = new MountEnd(mount, silent);
    const left = end.onTold('signal');
    mount.finishUploads();
    await left;
    await end.ended;
    expect(mount.events).toEqual(['uploaded', 'unmounted', 'closed']);
  });

  it.each(['busy', 'held'] as const)('takes a mount away from who uses it: %s', async (kept) => {
    const mount = new ScriptedMount([]);
    mount.kept = kept;
    const end = new MountEnd(mount, silent);
    await end.onTold('signal');
    await end.ended;
    expect(mount.events).toEqual(['detached', 'closed']);
  });

  it('is given once to all of a session: that the command passes it on is no second time', async () => {
    const mount = new ScriptedMount(['a']);
    const end = new MountEnd(mount, silent);
    const left = Promise.all([end.onTold('signal'), end.onTold('command'), end.begin('command')]);
    mount.finishUploads();
    await left;
    await end.ended;
    expect(mount.events).toEqual(['uploaded', 'unmounted', 'closed']);
  });

  it.each(['signal', 'command'] as const)(
    'that the other one gives again waits for nothing: %s',
    async (by) => {
      const mount = new ScriptedMount(['a']);
      const end = new MountEnd(mount, silent);
      const first = Promise.all([end.onTold('signal'), end.onTold('command')]);
      await end.onTold(by);
      await first;
      await end.ended;
      expect(mount.events).toEqual(['detached', 'closed']);
    },
  );

  it('given twice waits for nothing', async () => {
    const mount = new ScriptedMount(['a']);
    const end = new MountEnd(mount, silent);
    const first = end.onTold('signal');
    await end.onTold('signal');
    await first;
    await end.ended;
    expect(mount.events).toEqual(['detached', 'closed']);
  });
});

describe('an unmount behind our back', () => {
  it('is followed by finishing what is unfinished', async () => {
    const mount = new ScriptedMount(['a']);
    const end = new MountEnd(mount, silent);
    await mount.unmount();
    mount.finishUploads();
    await end.ended;
    expect(mount.events).toEqual(['unmounted', 'uploaded', 'closed']);
  });

  it('leaves the unfinished to the journal when a signal follows', async () => {
    const mount = new ScriptedMount(['a']);
    const end = new MountEnd(mount, silent);
    await mount.unmount();
    await mount.closed;
    await end.onTold('signal');
    await end.ended;
    expect(mount.events).toEqual(['unmounted', 'detached', 'closed']);
  });
});
