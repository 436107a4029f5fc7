/** How far a long command is, for a program and on a terminal. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ServedMount } from '../support/served-mount.ts';
import { Terminal } from '../support/terminal.ts';
import { waitUntil } from '../support/wait-until.ts';

const MIB = 1024 * 1024;
const PROJECT = 'projects/demo/rna-seq-study';

let served: ServedMount;
beforeAll(async () => {
  served = await ServedMount.start({ mountArgs: ['--write-back', '--limit-upload', '1M'] });
});
afterAll(() => served?.clean());

interface Event {
  readonly files: { readonly done: number };
  readonly bytes: { readonly done: number; readonly total: number };
}

it('flush tells a program of the bytes as they leave, and ends when they have arrived', async () => {
  await writeFile(served.path(PROJECT, 'flushed.bin'), Buffer.alloc(4 * MIB));
  const { code, stdout, stderr } = await served.sandbox.svcfs(['flush', '--json', served.sandbox.mountPoint]);
  expect([code, stdout]).toEqual([0, '']);
  const events = stderr.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Event]));
  const halfway = events.filter(({ bytes }) => bytes.done > 0 && bytes.done < bytes.total);
  expect(halfway[0]).toMatchObject({ files: { done: 0, total: 1 }, bytes: { total: 4 * MIB } });
});

it('unmount shows on a terminal how far it is, and Ctrl-C leaves the mount as it is', async () => {
  const { mountPoint } = served.sandbox;
  const path = served.path(PROJECT, 'slow.bin');
  await writeFile(path, Buffer.alloc(6 * MIB));
  const unmount = (): Terminal => {
    const terminal = new Terminal(
      `${process.execPath} dist/cli/main.js unmount ${mountPoint}`,
      served.sandbox.env,
      90,
    );
    onTestFinished(() => terminal.end());
    return terminal;
  };
  const interrupted = unmount();
  await interrupted.shows(/\[#*\.+\] 0 of 1 file, [1-5](\.\d)? MiB of 6 MiB, .*\/s, 0:0\d left/);
  interrupted.type('\x03');
  await waitUntil(() => interrupted.hasEnded);
  await writeFile(path, 'the mount takes it');
  const ended = unmount();
  await waitUntil(() => ended.hasEnded);
  await served.mount();
});
