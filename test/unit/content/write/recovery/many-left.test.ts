/** More drafts that a killed mount leaves than a process may have files open. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { patterned } from '../../fake-platform.ts';
import { afterKill, forever, live, newDraft, useRecoveryWorld, writerIn } from '../recovery-world.ts';

useRecoveryWorld();

/** Lets this process have so many more files open, until the test has ended. */
function allowFiles(more: number): void {
  const these = ['--pid', String(process.pid)];
  const limit = (value: string): void => void execFileSync('prlimit', [...these, `--nofile=${value}:`]);
  const before = execFileSync('prlimit', [...these, '--nofile', '--noheadings', '--output', 'SOFT']);
  onTestFinished(() => limit(before.toString().trim()));
  limit(String(readdirSync('/proc/self/fd').length + more));
}

it('small files that were closed are all owed to the next mount, however many', async () => {
  const writer = writerIn(live());
  for (let at = 0; at < 300; at += 1) {
    const draft = await newDraft(writer, undefined, `file-${at}`);
    await draft.write(0, patterned(50), forever);
    await draft.commit(forever);
  }
  const path = await afterKill();
  const next = writerIn(path);
  await next.publishedDrafts();
  allowFiles(100);
  const outcomes = (await next.recover()).map(({ outcome }) => outcome.kind);
  expect(outcomes.filter((kind) => kind !== 'owed')).toEqual([]);
});
