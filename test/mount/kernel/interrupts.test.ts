import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../support/wait-until.ts';
import { ServedMount } from './served-mount.ts';

/** A program that renames with a handler for each of two signals, and says what became of it. */
const RENAMER = `
import os, signal, sys
class Stop(Exception): pass
def stop(*_): raise Stop
signal.signal(signal.SIGCHLD, lambda *_: None)
signal.signal(signal.SIGINT, stop)
try:
  os.rename(sys.argv[1], sys.argv[2])
  print("renamed")
except Stop: print("stopped")`;

describe('a program that waits in the mount', () => {
  let mount: ServedMount;
  const programs: ChildProcess[] = [];

  beforeEach(async () => {
    mount = await ServedMount.start();
  });

  afterEach(async () => {
    await mount.call('release');
    for (const program of programs.splice(0)) program.kill('SIGKILL');
    await mount.stop();
  });

  const startStalled = async (command: string, ...args: string[]): Promise<ChildProcess> => {
    const stalled = await mount.call<number>('stalled');
    const program = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    programs.push(program);
    await waitUntil(async () => (await mount.call<number>('stalled')) > stalled);
    return program;
  };

  const startRenamer = async (): Promise<{ program: ChildProcess; output: Promise<string> }> => {
    await mount.shell('echo x > stalled-rename');
    const program = await startStalled(
      'python3',
      '-c',
      RENAMER,
      mount.in('stalled-rename'),
      mount.in('renamed'),
    );
    const output = program.stdout === null ? Promise.resolve('') : text(program.stdout);
    return { program, output };
  };

  const msUntilExit = async (program: ChildProcess, signal: NodeJS.Signals): Promise<number> => {
    const exited = once(program, 'exit');
    const start = performance.now();
    program.kill(signal);
    await exited;
    return performance.now() - start;
  };

  it('ends within 100 ms of Ctrl-C while its read is stalled, and the handler is told', async () => {
    const dd = await startStalled('dd', `if=${mount.in('stalled')}`, 'iflag=direct');
    expect(await msUntilExit(dd, 'SIGINT')).toBeLessThan(150); // and 50 for the end of a process
    expect(dd.signalCode).toBe('SIGINT');
    expect(await mount.call('aborted')).toBe(1);
  });

  it('ends at once while it waits for read-ahead, of which the kernel tells us nothing', async () => {
    const cat = await startStalled('cat', mount.in('stalled'));
    expect(await msUntilExit(cat, 'SIGINT')).toBeLessThan(150);
    expect(await mount.call('aborted')).toBe(0);
  });

  it('ends within 100 ms of a kill while its rename is stalled, and the handler is told', async () => {
    await mount.shell('echo x > stalled-rename');
    const mv = await startStalled('mv', mount.in('stalled-rename'), mount.in('renamed'));
    expect(await msUntilExit(mv, 'SIGTERM')).toBeLessThan(150);
    expect(await mount.call('aborted')).toBe(1);
  });

  it('sees the outcome of an interrupted rename that went on', async () => {
    await mount.shell('echo x > stalled-rename');
    const mv = await startStalled('mv', mount.in('stalled-rename'), mount.in('renamed'));
    await msUntilExit(mv, 'SIGINT');
    expect((await mount.shell('ls')).stdout).toContain('stalled-rename');
    await mount.call('release');
    await waitUntil(async () => (await mount.shell('cat renamed 2> /dev/null || true')).stdout === 'x\n');
    expect((await mount.shell('ls')).stdout).not.toContain('stalled-rename');
  });

  it('is not disturbed by a signal that only notifies', async () => {
    const { program, output } = await startRenamer();
    program.kill('SIGCHLD');
    await mount.call('release');
    expect(await output).toBe('renamed\n');
    expect(await mount.call('aborted')).toBe(0);
  });

  it('can be stopped after a signal that only notified', async () => {
    const { program, output } = await startRenamer();
    program.kill('SIGCHLD');
    expect(await msUntilExit(program, 'SIGINT')).toBeLessThan(1000);
    expect(await output).toBe('stopped\n');
  });
});
