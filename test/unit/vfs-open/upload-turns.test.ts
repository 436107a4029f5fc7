import { expect, it } from 'vitest';
import { UploadTurns } from '../../../src/vfs/open/upload-turns.ts';
import { FakeClock } from '../../support/fake-clock.ts';

it('lets few uploads go beside programs that close files, and many when they pause', async () => {
  const clock = new FakeClock();
  const turns = new UploadTurns(clock);
  let running = 0;
  turns.closed();
  for (let upload = 0; upload < 100; upload += 1) {
    void turns.run(async () => {
      running += 1;
      await new Promise(() => undefined);
    });
  }
  await clock.advance(60);
  turns.closed();
  await clock.advance(60);
  expect(running).toBe(4);
  await clock.advance(100);
  expect(running).toBe(32);
});
