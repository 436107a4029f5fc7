import { expect, it } from 'vitest';
import { UploadTurns } from '../../../../src/vfs/closed/upload-turns.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { Gate } from '../../../support/gate.ts';

const GIB = 1024 ** 3;

it('lets few uploads go beside programs that close files, and many when they pause', async () => {
  const clock = new FakeClock();
  const turns = new UploadTurns(clock);
  let running = 0;
  turns.closed();
  for (let upload = 0; upload < 100; upload += 1) {
    void turns.run(async () => {
      running += 1;
      await new Promise(() => undefined);
    }, 2);
  }
  await clock.advance(60);
  turns.closed();
  await clock.advance(60);
  expect(running).toBe(4);
  await clock.advance(100);
  expect(running).toBe(32);
});

it('has small files wait for no large ones', async () => {
  const turns = new UploadTurns(new FakeClock());
  const hours = new Gate();
  const large = Array.from({ length: 100 }, () => turns.run(() => hours.opened, 100 * GIB));
  await turns.run(async () => undefined, 2);
  turns.closed();
  await turns.run(async () => undefined, 2);
  hours.open();
  await Promise.all(large);
});

it('holds no uploads back when the clock is set back', async () => {
  const clock = new FakeClock();
  const turns = new UploadTurns(clock);
  turns.closed();
  clock.set(-3_600_000);
  const uploads = new Set<number>();
  for (let upload = 0; upload < 100; upload += 1) {
    void turns.run(async () => {
      uploads.add(upload);
      await new Promise(() => undefined);
    }, 2);
  }
  await clock.advance(200);
  expect(uploads.size).toBe(32);
});
